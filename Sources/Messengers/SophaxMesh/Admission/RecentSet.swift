/// The last values, oldest out: messages and relays that were seen.
struct RecentSet<Element: Hashable & Sendable>: Sendable, Equatable {
    private let limit: Int
    /// From old to new.
    private(set) var order: [Element] = []
    private var elements: Set<Element> = []

    init(limit: Int) { self.limit = limit }

    func contains(_ element: Element) -> Bool { elements.contains(element) }

    /// - Returns: false if it is there already.
    mutating func insert(_ element: Element) -> Bool {
        guard elements.insert(element).inserted else { return false }
        order.append(element)
        if order.count > limit { elements.remove(order.removeFirst()) }
        return true
    }
}
