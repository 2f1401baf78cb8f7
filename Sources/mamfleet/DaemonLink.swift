// The connection to the daemon.

internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

/// Where the daemon listens.
struct DaemonPlace: Sendable {
    let workspace: WorkspaceName
    /// The path of its socket; nil for the one of the workspace.
    let socket: String?

    var path: String { socket ?? Places.current.existingSocket(of: workspace) }
}

/// Connects when it is used, and again after a failure. One thread uses it.
final class DaemonLink {
    private let place: DaemonPlace
    private var client: VarlinkClient?

    init(_ place: DaemonPlace) { self.place = place }

    var isConnected: Bool { client != nil }

    /// Throws if no daemon answers.
    func connect() throws(VarlinkClient.Failure) {
        if client == nil { client = try VarlinkClient(path: place.path) }
    }

    func call<Request: VarlinkRequest>(
        _ request: Request
    ) throws(VarlinkClient.Failure) -> Request.Reply {
        try connect()
        do throws(VarlinkClient.Failure) {
            guard let reply = try client?.call(request) else { throw .disconnected }
            return reply
        } catch {
            // An error is an answer; everything else means that this connection is of no use.
            if case .refused = error { throw error }
            client = nil
            throw error
        }
    }
}

extension VarlinkClient.Failure {
    /// Whether nothing listens there.
    var isNobody: Bool {
        guard case .unreachable(_, let error) = self else { return false }
        return error == .noEntry || error == .connectionRefused
    }

    /// What went wrong, as a clause for people.
    var words: String {
        switch self {
        case .unreachable(let path, let error):
            isNobody
                ? "the workspace is not mounted: \(error)" : "\(ByteString(path).shown): \(error)"
        case .foreign(let path, let user): "uid \(user) listens at \(ByteString(path).shown)"
        case .secretForOthers: "the daemon is another user's"
        case .silent: "the daemon does not answer"
        case .disconnected: "the daemon ended the connection"
        case .malformed, .unknownReply: "the daemon is of another version"
        case .refused(let error): "\(error)"
        }
    }
}
