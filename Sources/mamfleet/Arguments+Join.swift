// The code and the workspace of `join`.

internal import Glibc
internal import MAMCommandLine
internal import MAMCrypto
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMPlaces
internal import MAMWire

let anotherCode: Message = "ask for another code: mamctl fleet invite"

extension Arguments {
    /// The code from the operand, or from standard input, where nobody else sees it.
    func invitationCode() throws(Failure) -> InvitationCode {
        guard let operand = operands.first?.wireText else {
            throw .wrong("join: the code is missing")
        }
        let text =
            operand == "-"
            ? Self.standardInput(atMost: InvitationCode.maximumByteCount + 1)
            : Array(operand.utf8).withUnsafeBytes { SecretBytes(copying: $0) }
        do throws(Refusal) { return try InvitationCode(parsing: text) } catch {
            throw Failure(.usage, "the code: \(error)", next: "copy it whole, or \(anotherCode)")
        }
    }

    private static func standardInput(atMost limit: Int) -> SecretBytes {
        let room = SecretBytes(count: limit)
        var count = 0
        room.withMutableBytes { buffer in
            while count < limit {
                let start = buffer.baseAddress.map { $0 + count }
                let got = read(STDIN_FILENO, start, limit - count)
                if got <= 0 { break }
                count += got
            }
        }
        return room.withBytes { SecretBytes(copying: .init(rebasing: $0[..<count])) }
    }

    /// Where the daemon of the named workspace listens, or of the only one that is mounted.
    func daemonPlace() throws(Failure) -> DaemonPlace {
        let socket = string("socket")
        if let text = string("workspace") {
            return DaemonPlace(workspace: try Self.workspace(named: text), socket: socket)
        }
        var names: Set<WorkspaceName> = []
        var refusal: Failure?
        for (name, path) in Places.current.sockets() {
            do throws(VarlinkClient.Failure) {
                _ = try VarlinkClient(path: path)
                names.insert(name)
            } catch {
                if error.isNobody { continue }
                refusal = Failure(ExitStatus(error), "workspace '\(name)': \(error.words)")
            }
        }
        guard let name = names.first else {
            throw refusal
                ?? Failure(
                    .unreachable, "no workspace is mounted",
                    next: "mamctl mount BACKING MOUNTPOINT")
        }
        guard names.count == 1 else {
            throw Failure(
                .usage, "several workspaces are mounted", next: "add --workspace NAME")
        }
        return DaemonPlace(workspace: name, socket: socket)
    }
}
