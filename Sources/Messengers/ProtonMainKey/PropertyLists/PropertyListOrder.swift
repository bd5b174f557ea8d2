internal import SecureMemory

/// The order in which a property list is written: depth first, a container before its elements, all keys of a dictionary
/// before its values. Equal strings, numbers and data are one object.
struct PropertyListOrder {
    /// A value, with the numbers of the values that it contains.
    enum Node {
        /// The object as it is written, and its place.
        case scalar(PropertyListLayout.Object, Range<Int>)
        case array([Int])
        /// The keys, then the values.
        case dictionary([Int])
    }

    /// Which nodes are written, in this order.
    private(set) var nodes: [Int] = []
    /// At which place each node, or one that is equal to it, is written; -1 if it is not.
    private(set) var number: [Int]

    /// - Parameter list: where the scalars are.
    init(of nodes: [Node], from root: Int, in list: Span<UInt8>) {
        number = Array(repeating: -1, count: nodes.count)
        visit(root, nodes, Self.firsts(nodes, list))
    }

    /// How many objects are written.
    var count: Int { nodes.count }

    private mutating func visit(_ node: Int, _ all: [Node], _ firsts: [Int]) {
        let first = firsts[node]
        if number[first] < 0 {
            number[first] = count
            nodes.append(first)
            switch all[first] {
            case .scalar: break
            case .array(let numbers), .dictionary(let numbers):
                for number in numbers { visit(number, all, firsts) }
            }
        }
        number[node] = number[first]
    }

    /// For each node the first one that is equal to it. Arrays and dictionaries are equal to themselves only.
    private static func firsts(_ nodes: [Node], _ list: Span<UInt8>) -> [Int] {
        var firsts = Array(nodes.indices)
        var scalars: [(node: Int, range: Range<Int>)] = []
        for (node, value) in nodes.enumerated() {
            if case .scalar(_, let range) = value { scalars.append((node, range)) }
        }
        scalars.sort {
            let order = order($0.range, $1.range, list)
            return order < 0 || order == 0 && $0.node < $1.node
        }
        for (left, right) in zip(scalars, scalars.dropFirst()) where order(left.range, right.range, list) == 0 {
            firsts[right.node] = firsts[left.node]
        }
        return firsts
    }

    /// Compares objects: negative if the left one comes first, 0 if they are equal.
    private static func order(_ left: Range<Int>, _ right: Range<Int>, _ list: Span<UInt8>) -> Int {
        guard left.count == right.count else { return left.count - right.count }
        var (one, other) = (left.lowerBound, right.lowerBound)
        while one < left.upperBound {
            if list[one] != list[other] { return Int(list[one]) - Int(list[other]) }
            one += 1
            other += 1
        }
        return 0
    }
}
