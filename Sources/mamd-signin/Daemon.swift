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
        issuer = try Self.issuer(&client)
        self.client = client
    }

    private static func connected(to path: String) throws(Failure) -> VarlinkClient {
        do throws(VarlinkClient.Failure) { return try VarlinkClient(path: path) } catch {
            throw problem(error)
        }
    }

    private static func issuer(
        _ client: inout VarlinkClient
    ) throws(Failure) -> Varlink.SignIn.Issuer {
        let issuer: Varlink.SignIn.Issuer?
        do throws(VarlinkClient.Failure) {
            issuer = try client.call(Varlink.SignIn.Show()).issuer
        } catch { throw problem(error) }
        guard let issuer else {
            throw Failure(.refused, "accounts need no sign-in: ADALAuthority is not set")
        }
        return issuer
    }

    mutating func begin(
        _ account: String, _ objectID: String?, _ way: Varlink.SignIn.Way
    ) throws(Failure) -> Varlink.SignIn.Begin.Reply {
        do throws(VarlinkClient.Failure) {
            return try client.call(
                Varlink.SignIn.Begin(account: account, objectID: objectID, way: way))
        } catch { throw problem(error) }
    }

    /// Nil if it is signed in; else what it lacks.
    mutating func finish(
        _ ticket: String, _ token: String
    ) throws(Failure) -> Varlink.SignIn.Finish.Reply {
        do throws(VarlinkClient.Failure) {
            // A file in memory: a pipe holds less than the largest token.
            let file: Descriptor
            do throws(Errno) { file = try makeMemoryFile(Array(token.utf8)) } catch {
                throw .malformed
            }
            return try client.call(
                Varlink.SignIn.Finish(ticket: ticket, tokenDescriptor: 0), descriptors: [file])
        } catch { throw problem(error) }
    }

    mutating func deliver(_ keys: [UInt8]) throws(Failure) {
        guard let text = String(validating: keys, as: UTF8.self) else {
            throw Failure("the issuer's keys are no text")
        }
        do throws(VarlinkClient.Failure) {
            _ = try client.call(Varlink.SignIn.DeliverKeys(keys: text))
        } catch { throw problem(error) }
    }
}

private func problem(_ failure: VarlinkClient.Failure) -> Failure {
    if case .refused(let error) = failure {
        return Failure(ExitStatus(failure), "\(error.workspaceError)")
    }
    return Failure(ExitStatus(failure), "the daemon does not answer")
}
