// `setup --join`: the workspace joins an organisation, through mamfleet, which has the network.

internal import Glibc
internal import MAMCommandLine
internal import MAMCrypto
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

struct SetupJoin {
    private let program: ByteString
    /// Where the code is read; nil for standard input.
    private let code: Descriptor?
    private let wait: ByteString?

    /// Nil without `--join`. Whatever is missing is known before anything is made.
    init?(_ invocation: Invocation) throws {
        guard let given = invocation.arguments.value("join") else {
            guard invocation.arguments.has("wait") else { return nil }
            throw invocation.misuse("--wait goes with the code of an invitation")
        }
        program = companion("mamfleet")
        guard let found = place(ofProgram: program), access(found.cString, X_OK) == 0 else {
            throw Failure(noMamfleet: program, .noEntry)
        }
        guard try (1...86_400) ~= invocation.arguments.seconds("wait", of: invocation.verb) ?? 30
        else { throw invocation.misuse("--wait takes 1 to 86400 seconds") }
        wait = invocation.arguments.value("wait")
        code =
            if given.text == "-" { nil } else if isInvitation(given) {
                try pipe(holdingCode: given, invocation)
            } else { try openFile(given, O_RDONLY | O_NOCTTY) }
        if let code { try Self.check(code, given) }
    }

    /// Reads a file's code, and leaves it where it is; a pipe's only mamfleet can read.
    private static func check(_ file: Descriptor, _ path: ByteString) throws {
        let room = SecretBytes(count: InvitationCode.maximumByteCount + 1)
        let count: Int
        do throws(Errno) {
            count = try room.withMutableBytes { buffer throws(Errno) in
                try retrying { pread(file.raw, buffer.baseAddress, buffer.count, 0) }
            }
        } catch {
            if error.rawValue == ESPIPE { return }
            throw Failure(path, error)
        }
        let code = room.withBytes { SecretBytes(copying: .init(rebasing: $0[..<count])) }
        do throws(Refusal) { _ = try InvitationCode(parsing: code) } catch {
            throw Failure(
                .usage, "\(path.shown): \(error)",
                next: "copy it whole, or ask for another code: mamctl fleet invite")
        }
    }

    /// The machine, once the organisation has its request. Run again it goes on.
    func join(_ name: WorkspaceName) throws -> JoinedMachine {
        printError("joins the organisation, and waits for its administrator")
        var words = ["join", "-", "--workspace", "\(name)"].map { ByteString($0) }
        if let wait { words += [ByteString("--wait"), wait] }
        let found = try answer(of: [program] + words, reading: code)
        guard let id = found.object?["machine"]?.text, let state = found.object?["state"]?.text
        else {
            throw Failure(.failure, "\(program.shown) is of another version than mamctl")
        }
        return JoinedMachine(
            id: id, organization: found.object?["name"]?.text ?? "", isAdmitted: state == "admitted"
        )
    }
}

struct JoinedMachine {
    let id: String
    /// Its name, for people.
    let organization: String
    let isAdmitted: Bool

    var json: JSONValue {
        [
            "machine": .string(id), "organization": .string(organization),
            "admitted": .bool(isAdmitted),
        ]
    }

    var message: Message {
        isAdmitted
            ? "it obeys \(shown(organization)), which has let it in as machine \(id)"
            : "it obeys \(shown(organization)); its administrator has yet to let in machine \(id):"
                + " mamctl fleet admit, there"
    }
}
