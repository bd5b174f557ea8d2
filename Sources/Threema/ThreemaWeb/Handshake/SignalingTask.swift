// A responder lists its tasks, the initiator chooses one. In both messages, `data` has a member for each task that is
// named, whose value is the task's own.

/// What two clients do after the handshake.
public struct SignalingTask: Hashable, Sendable {
    /// As the messages name it.
    public let name: String

    /// A task by its name.
    public init(_ name: String) { self.name = name }

    /// All data go through the server (iOS).
    public static let relayedData = SignalingTask("v0.relayed-data.tasks.saltyrtc.org")
    /// The server carries the offers, answers and candidates of a WebRTC connection (Android).
    public static let webRTC = SignalingTask("v1.webrtc.tasks.saltyrtc.org")

    /// Most tasks in a list.
    static let maxCount = 16
}

/// A task of this client, and what it tells the peer about it.
public struct OfferedTask: Equatable, Sendable {
    /// What client and app do once they are paired.
    public let task: SignalingTask
    /// What the peer is told about the task: a map, or null.
    public let data: MessagePackValue

    /// - Parameter data: a map or null.
    public init(_ task: SignalingTask, data: MessagePackValue = .null) {
        self.task = task
        self.data = data
    }
}

/// The lists of tasks in `auth` messages.
enum TaskNegotiation {
    /// The members of a responder's `auth` behind its cookie.
    static func offer(_ tasks: [OfferedTask]) -> [MessagePackValue.Member] {
        [
            .init("tasks", .array(tasks.map { .text($0.task.name) })),
            .init("data", .map(tasks.map { .init($0.task.name, $0.data) })),
        ]
    }

    /// The members of an initiator's `auth` behind its cookie.
    static func choice(_ task: OfferedTask) -> [MessagePackValue.Member] {
        [.init("task", .text(task.task.name)), .init("data", .map([.init(task.task.name, task.data)]))]
    }

    /// The first task of this initiator that the responder has, too, and the responder's data for it.
    /// - Throws: `.message`, `.tasks`, `.noSharedTask`.
    static func choose(
        _ own: [OfferedTask], from auth: SignalingFields
    ) throws(SignalingError) -> (OfferedTask, MessagePackValue) {
        guard case .array(let values)? = auth.members["tasks"] else { throw .message(.auth, .field(.tasks)) }
        guard let data = auth.members["data"]?.members else { throw .message(.auth, .field(.data)) }
        var names: Set<String> = []
        for value in values {
            guard case .text(let name) = value else { throw .message(.auth, .field(.tasks)) }
            names.insert(name)
        }
        guard (1...SignalingTask.maxCount).contains(values.count), names.count == values.count,
            names == Set(data.keys), data.values.allSatisfy(\.isTaskData)
        else { throw .tasks }
        guard let chosen = own.first(where: { names.contains($0.task.name) }) else { throw .noSharedTask }
        return (chosen, data[chosen.task.name]!)
    }

    /// The task that the initiator has chosen, and its data.
    /// - Throws: `.message`, `.tasks`, `.unknownTask`.
    static func chosen(
        _ own: [OfferedTask], in auth: SignalingFields
    ) throws(SignalingError) -> (SignalingTask, MessagePackValue) {
        guard case .text(let name)? = auth.members["task"] else { throw .message(.auth, .field(.task)) }
        guard let data = auth.members["data"]?.members else { throw .message(.auth, .field(.data)) }
        guard let task = own.first(where: { $0.task.name == name })?.task else { throw .unknownTask }
        guard data.count == 1, let value = data[name], value.isTaskData else { throw .tasks }
        return (task, value)
    }
}

extension MessagePackValue {
    fileprivate var isTaskData: Bool {
        switch self {
        case .null, .map: true
        default: false
        }
    }
}
