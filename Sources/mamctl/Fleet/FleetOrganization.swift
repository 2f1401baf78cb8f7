// The organisation's directory as verbs name it, and what is said about its failures.

internal import Glibc
internal import MAMCommandLine
internal import MAMCrypto
internal import MAMEngine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

extension Option {
    static let organizationDirectory = Option(
        "organization", value: "DIR",
        "the organisation's directory (default: $MAMCTL_ORGANIZATION, else .)")
}

/// `--organization`, else the environment's.
func namedOrganization(_ invocation: Invocation) -> ByteString? {
    let variable = getenv("MAMCTL_ORGANIZATION").map { ByteString(cString: $0) }
    return invocation.arguments.value("organization")
        ?? variable.flatMap { $0.bytes.isEmpty ? nil : $0 }
}

/// The one that is named, else the working directory; it must have a root.
func organization(of invocation: Invocation) throws(Failure) -> OrganizationDirectory {
    let directory = OrganizationDirectory(namedOrganization(invocation) ?? ByteString("."))
    let isThere: Bool
    do throws(OrganizationDirectory.Failure) {
        isThere = try directory.has(OrganizationDirectory.root)
    } catch { throw Failure(error) }
    guard isThere else {
        throw Failure(
            .notFound,
            "\(directory.whole(OrganizationDirectory.root).shown): there is no organisation"
                + " here",
            next: "name its directory: --organization DIR")
    }
    return directory
}

/// The engine of the organisation.
func existingEngine(of invocation: Invocation) throws -> Engine {
    let directory = try organization(of: invocation)
    guard try directory.has(EngineSettings.file) else {
        throw Failure(
            .notFound, "\(directory.path.shown) has no engine yet",
            next: "mamctl fleet engine init --server HOST:PORT")
    }
    return try Engine(directory)
}

/// Groups of `--group`.
func groups(of invocation: Invocation) throws(Failure) -> [String] {
    var found: [String] = []
    for value in invocation.arguments.values("group") {
        guard let name = value.text, isName(name) else {
            throw invocation.misuse(
                "--group is '\(value.shown)', not 1 to 100 letters, digits, '.', '_' and '-'")
        }
        if !found.contains(name) { found.append(name) }
    }
    return found.sorted()
}

/// On a terminal asks; `--yes` answers for scripts.
func agree(
    to question: Message, orElse refusal: Message,
    next: Message = "add --yes if this is what you mean", _ invocation: Invocation
) throws {
    if invocation.arguments.has("yes") { return }
    guard isatty(STDIN_FILENO) == 1 else {
        throw Failure(.refused, refusal, next: next)
    }
    guard try Terminal.askOpenly("\(question) Type yes to continue").text == "yes" else {
        throw Failure(.failure, refusal)
    }
}

extension Failure {
    init(_ failure: OrganizationDirectory.Failure) {
        switch failure.reason {
        case .system(let error): self.init(failure.path, error)
        case .refusal(let refusal): self.init(failure.path, refusal)
        case .exposed:
            self.init(
                .refused, "\(failure.path.shown): others may read this secret, or have read it",
                next: "chmod 600 \(failure.path.asArgument), if nobody has")
        }
    }
}

/// Replaces this program by `mamfleet`.
func executeMamfleet(_ words: [ByteString]) -> Failure {
    let program = companion("mamfleet")
    return Failure(noMamfleet: program, execute([program] + words))
}

extension Failure {
    init(noMamfleet program: ByteString, _ error: Errno) {
        self.init(.notFound, "\(program.shown): \(error)", next: "apt install mamd-fleet")
    }
}

/// Secret bytes to standard output, and a line feed.
func printOut(_ secret: SecretBytes) throws(Errno) {
    try secret.withBytes { bytes throws(Errno) in try writeAll(bytes, to: STDOUT_FILENO) }
    printOut("")
}
