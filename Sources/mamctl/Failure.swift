// One failure: what and why, what to do next, and the exit status.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// What ends a verb early.
struct Failure: Error {
    let status: ExitStatus
    let message: String
    /// A command to run, or a hint.
    let next: String?
    /// A daemon is there, and does not answer.
    var isSilence = false
    /// The last word of the daemon's error, where that is what failed.
    private(set) var kind: String?

    init(_ status: ExitStatus, _ message: String, next: String? = nil) {
        self.status = status
        self.message = message
        self.next = next
    }

    /// A mistake on the command line of a verb.
    static func usage(_ verb: Verb, _ message: String) -> Failure {
        Failure(
            .usage, "\(verb.name): \(message)", next: "mamctl \(verb.name) \(verb.usage)")
    }

    /// The same, with who or what may be meant, and what helps then.
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

    /// What the kernel says of keys, in our words.
    private static func words(for error: Errno) -> String {
        error.rawValue == ENOKEY
            ? "its account is locked, or its key is missing (\(error))" : "\(error)"
    }

    /// What helps against the errors that people meet.
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

    /// Whatever a verb throws.
    init(any error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as Errno:
            self.init(ExitStatus(errno: Int64(error.rawValue)), error.description)
        case let error as VarlinkError:
            self.init(
                .failure, "cannot parse the daemon's answer: \(error)",
                next: "use mamctl and mamd of the same version: mamctl version")
        default: self.init(.failure, "\(error)")
        }
    }

    /// Settings and rights refuse too, and of them policy says nothing. Sentences name policy where
    /// it decided, but for what a passphrase lacks.
    private static func isByPolicy(_ sentence: String) -> Bool {
        sentence.contains("policy") || sentence.contains("not good enough")
    }

    /// What the daemon refused, about `subject`.
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
        // An error that names its account says all by itself, unless a file brought us to it.
        let saysAll = !account.isEmpty && kind != "WindowClosed"
        let message = saysAll ? "\(error)" : "\(subject): \(error)"
        // The daemon knows more than we do.
        self.init(ExitStatus(error), message, next: error.next ?? usual)
        self.kind = kind
    }

    /// To standard error, and as JSON to standard output when that was asked for.
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
    /// Of a system call that the daemon made.
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
