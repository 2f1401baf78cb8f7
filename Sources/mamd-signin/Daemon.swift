// Calls of the daemon.

import Glibc
import MAMCommandLine
import MAMModel
import MAMSystem
import MAMWire

struct Daemon: ~Copyable {
    private var client: VarlinkClient
    let issuer: Varlink.SignIn.Issuer

    init(at path: String) throws(Failure) {
        var client = try Self.connected(to: path)
        guard let shown = try Self.call(&client, Varlink.SignIn.Show()).issuer else {
            throw Failure(.refused, "accounts need no sign-in: ADALAuthority is not set")
        }
        issuer = shown
        self.client = client
    }

    private static func connected(to path: String) throws(Failure) -> VarlinkClient {
        do throws(VarlinkClient.Failure) { return try VarlinkClient(path: path) } catch {
            throw problem(error)
        }
    }

    private static func call<Request: VarlinkRequest>(
        _ client: inout VarlinkClient, _ request: Request, descriptors: [Descriptor] = []
    ) throws(Failure) -> Request.Reply {
        do throws(VarlinkClient.Failure) {
            return try client.call(request, descriptors: descriptors)
        } catch { throw problem(error) }
    }

    mutating func begin(
        _ account: String, _ objectID: String?, _ way: Varlink.SignIn.Way
    ) throws(Failure) -> Varlink.SignIn.Begin.Reply {
        try Self.call(
            &client, Varlink.SignIn.Begin(account: account, objectID: objectID, way: way))
    }

    /// Nil if it is signed in; else what it lacks.
    mutating func finish(
        _ ticket: String, _ token: String
    ) throws(Failure) -> Varlink.SignIn.Finish.Reply {
        // A file in memory: a pipe holds less than the largest token.
        guard let file = try? makeMemoryFile(Array(token.utf8)) else { throw problem(.malformed) }
        return try Self.call(
            &client, Varlink.SignIn.Finish(ticket: ticket, tokenDescriptor: 0),
            descriptors: [file])
    }

    mutating func deliver(_ keys: [UInt8]) throws(Failure) {
        guard let text = String(validating: keys, as: UTF8.self) else {
            throw Failure("the issuer's keys are no text")
        }
        _ = try Self.call(&client, Varlink.SignIn.DeliverKeys(keys: text))
    }
}

private func problem(_ failure: VarlinkClient.Failure) -> Failure {
    if case .refused(let error) = failure {
        return Failure(ExitStatus(failure), "\(error.workspaceError)")
    }
    return Failure(ExitStatus(failure), "the daemon does not answer")
}
