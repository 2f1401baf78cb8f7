// Which of the engine's servers is asked next.

/// All links of a program share what they have seen. One thread uses it.
final class EngineServers {
    private struct Server {
        let name: String
        /// How often it could not be connected to, and how often it was silent afterwards.
        var failures = 0
        var silences = 0
    }

    private var servers: [Server]

    init(_ names: [String]) {
        // Administrators are spread over the servers.
        servers = names.shuffled().map { Server(name: $0) }
    }

    /// In the order in which to try them.
    var inTurn: [String] {
        servers.sorted { ($0.failures, $0.silences) < ($1.failures, $1.silences) }.map(\.name)
    }

    func noteFailure(of name: String) { change(name) { $0.failures += 1 } }
    func noteSilence(of name: String) { change(name) { $0.silences += 1 } }

    private func change(_ name: String, _ body: (inout Server) -> Void) {
        guard let index = servers.firstIndex(where: { $0.name == name }) else { return }
        body(&servers[index])
    }
}
