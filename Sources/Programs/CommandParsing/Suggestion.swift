/// Finds what may have been meant by a mistyped word.
package enum Suggestion {
    /// The meanings of the names that are nearest to the word: none where nothing is near, several where as near.
    package static func nearest(to word: String, among choice: [(name: String, meaning: String)]) -> [String] {
        // Of a short word, two changes leave nothing.
        let bound = word.count > 4 ? 2 : 1
        let rated = choice.map { (meaning: $0.meaning, distance: distance(word, $0.name)) }
        guard let least = rated.map(\.distance).min(), least <= bound else { return [] }
        return rated.filter { $0.distance == least }.map(\.meaning)
    }

    /// Letters to insert, remove, replace or swap with their neighbour (optimal string alignment).
    private static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left.prefix(32))
        let right = Array(right)
        var rows = [Array(0...right.count)]
        for row in 1..<left.count + 1 {
            var current = [row]
            for column in 1..<right.count + 1 {
                let cost = left[row - 1] == right[column - 1] ? 0 : 1
                var best = min(rows[row - 1][column] + 1, current[column - 1] + 1, rows[row - 1][column - 1] + cost)
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    best = min(best, rows[row - 2][column - 2] + 1)
                }
                current.append(best)
            }
            rows.append(current)
        }
        return rows[left.count][right.count]
    }
}
