internal import SecureMemory

extension PropertyList {
    /// The same values in the form that the app and Python's plistlib write.
    /// - Throws: `.tooLong` if that form is too long: here sizes may be chosen with less care.
    public borrowing func rewritten() throws(PropertyListError) -> PropertyList {
        var writer = PropertyListWriter()
        // What is used several times is written once.
        var copies: [Object: PropertyListWriter.Value] = [:]
        let root = try copy(root, to: &writer, &copies)
        return try writer.finish(root)
    }

    private borrowing func copy(
        _ object: Object, to writer: inout PropertyListWriter, _ copies: inout [Object: PropertyListWriter.Value]
    ) throws(PropertyListError) -> PropertyListWriter.Value {
        if let copy = copies[object] { return copy }
        let copy: PropertyListWriter.Value
        switch kind(of: object) {
        case .string:
            let text = content(of: object)
            copy = try text.withBytes { (text) throws(PropertyListError) in try writer.string(text) }
        case .data:
            let data = content(of: object)
            copy = try data.withBytes { (data) throws(PropertyListError) in try writer.data(data) }
        case .integer: copy = try writer.integer(revealInteger(object))
        case .real: copy = try writer.real(revealReal(object))
        case .date: copy = try writer.date(revealDate(object))
        case .bool: copy = try writer.bool(revealBool(object))
        case .array:
            var elements: [PropertyListWriter.Value] = []
            for element in self.elements(of: object) { elements.append(try self.copy(element, to: &writer, &copies)) }
            copy = try writer.array(elements)
        case .dictionary:
            var members: [(key: PropertyListWriter.Value, value: PropertyListWriter.Value)] = []
            for member in self.members(of: object) {
                let key = try self.copy(member.key, to: &writer, &copies)
                members.append((key: key, value: try self.copy(member.value, to: &writer, &copies)))
            }
            copy = try writer.dictionary(members)
        }
        copies[object] = copy
        return copy
    }
}
