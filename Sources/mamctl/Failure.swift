// A failure: what failed and why, what to do next, and the exit status.

internal import Glibc
internal import MAMCarrier
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// The error that ends a verb.
struct Failure: Error {
    let status: ExitStatus
    let message: String
    /// A command to run, or a hint.
    let next: String?
    /// The daemon runs but does not answer.
    var isSilence = false
    /// The name of the daemon's error, without its interface's; nil for other failures.
    private(set) var kind: String?

    init(_ status: ExitStatus, _ message: String, next: String? = nil) {
        self.status = status
        self.message = message
        self.next = next
    }

    /// An error in a verb's command line.
    static func usage(_ verb: Verb, _ message: String) -> Failure {
        Failure(
            .usage, "\(verb.name): \(message)", next: "mamctl \(verb.name) \(verb.usage)")
    }

    /// The same failure with a suggestion.
    func with(guess: String, next: String) -> Failure {
        var failure = Failure(status, message + guess, next: next)
        failure.kind = kind
        return failure
    }

    /// A system call that failed on a file.
    init(_ path: ByteString, _ error: Errno, next: String? = nil) {
        self.init(
            ExitStatus(errno: Int64(error.rawValue)), "\(path.shown): \(Self.words(for: error))",
            next: next ?? Self.advice(on: error))
    }

    /// A text for the kernel's error, clearer where that is about keys.
    private static func words(for error: Errno) -> String {
        error.rawValue == ENOKEY
            ? "its account is locked, or its key is missing (\(error))" : "\(error)"
    }

    /// A hint for common errors.
    private static func advice(on error: Errno?) -> String? {
        switch error?.rawValue {
        case _ where error?.meansDeadDaemon == true:
            "the daemon of this mount has died; mamctl mount BACKING MOUNTPOINT"
        case ENOENT: "check the path with ls"
        case EACCES, EPERM: "check the permissions with ls -l"
        case ENOSPC, EDQUOT: "free some space and try again; existing data is unchanged"
        case EROFS: "mount it without -o ro"
        case ENOKEY: "mamctl unlock; mamctl info FILE shows the account"
        case EKEYEXPIRED: "mamctl unlock"
        case EBADMSG: "mamctl verify lists the damage"
        case EIO: "the disk has failed: see dmesg"
        case ENOTDIR: "name a directory"
        case EISDIR: "name a file"
        default: nil
        }
    }

    /// Converts any error that a verb throws.
    init(any error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let failure as OrganizationDirectory.Failure: self.init(failure)
        case let error as Errno:
            self.init(ExitStatus(errno: Int64(error.rawValue)), error.description)
        case let error as VarlinkError:
            self.init(
                .failure, "cannot parse the daemon's answer: \(error)",
                next: "use mamctl and mamd of the same version: mamctl version")
        default: self.init(.failure, "\(error)")
        }
    }

    /// Settings and rights refuse too. Only sentences about a decision of policy name it, except
    /// those about a weak passphrase.
    private static func isByPolicy(_ sentence: String) -> Bool {
        sentence.contains("policy") || sentence.contains("not good enough")
    }

    /// The daemon's error about `subject`.
    init(_ error: VarlinkError, about subject: String) {
        let account = error.parameters["account"]?.text.map { ByteString($0).shown } ?? ""
        let kind = error.lastName
        let usual: String? =
            switch error.ofWorkspace {
            case .unknownAccount, .notManaged: "mamctl account list"
            case .unmanagedOwner: "mamctl account list, or add --unmanaged if that is intended"
            case .accountExists, .windowClosed: "mamctl unlock \(account)"
            case .wrongPassphrase:
                error.parameters["outlook"]?.text.map { "enter it again; \($0)" }
                    ?? "enter it again"
            case .notTried: "wait, then enter it again"
            case .sealedFiles:
                "\(importCommand), or mamctl account register \(account) --new-keys"
            case .blocked: "mamctl account login \(account)"
            case .refused where Self.isByPolicy("\(error)"):
                "mamctl policy show \(account)".trimmed
            case .damaged: "mamctl verify, and restore the file from a backup"
            case .systemError: Self.advice(on: Errno(of: error))
            case .refused, .notFound, .invalidInput, nil: nil
            }
        // An error that names its account needs no subject, except WindowClosed, where the subject
        // is often a file.
        let saysAll = !account.isEmpty && kind != "WindowClosed"
        let message = saysAll ? "\(error)" : "\(subject): \(error)"
        // Prefer the daemon's hint: it knows more.
        self.init(ExitStatus(error), message, next: error.next ?? usual)
        self.kind = kind
    }

    /// Prints to standard error, and with `--json` also to standard output.
    func report(isJSON: Bool) {
        printError("\(Style.error.red("mamctl:")) \(message.onOneLine)")
        if let next { printError("  try: \(next.onOneLine)") }
        if isJSON { printJSON(["error": json]) }
    }

    var json: JSONValue {
        [
            "status": JSONValue(status.rawValue), "message": .string(message),
            "next": JSONValue(next),
        ]
    }
}

extension Errno {
    /// The error number of the daemon's system call.
    fileprivate init?(of error: VarlinkError) {
        guard let number = error.parameters["errno"]?.integer, let code = Int32(exactly: number)
        else { return nil }
        self.init(rawValue: code)
    }
}

extension String {
    fileprivate var trimmed: String { hasSuffix(" ") ? String(dropLast()) : self }
}

/// Runs a call on a file whose error number becomes a failure that names the file.
func naming<Value>(_ path: ByteString, _ call: () throws(Errno) -> Value) throws(Failure) -> Value {
    do throws(Errno) { return try call() } catch { throw Failure(path, error) }
}
