// What mamctl says of the system's and the daemon's errors, and what to do next.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire
internal import MAMWords

extension Failure {
    /// An error in a verb's command line.
    static func usage(_ verb: Verb, _ message: Message) -> Failure {
        Failure(
            .usage, "\(verb.name): \(message)", next: "mamctl \(verb.name) \(verb.syntax.usage)")
    }

    /// The same failure with a suggestion.
    func with(guess: Message, next: Message) -> Failure {
        var failure = Failure(status, "\(message)\(guess)", next: next)
        failure.kind = kind
        return failure
    }

    /// A system call that failed on a file.
    init(_ path: ByteString, _ error: Errno, next: Message? = nil) {
        self.init(
            ExitStatus(errno: Int64(error.rawValue)), "\(path.shown): \(Self.words(for: error))",
            next: next ?? Self.advice(on: error))
        cause = error
    }

    /// A text for the kernel's error, clearer where that is about keys.
    private static func words(for error: Errno) -> Message {
        error.rawValue == ENOKEY
            ? "its account is locked, or its key is missing (\(error))" : "\(error)"
    }

    /// A hint for common errors.
    private static func advice(on error: Errno?) -> Message? {
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
            self.init(ExitStatus(errno: Int64(error.rawValue)), "\(error)")
        case let error as VarlinkError:
            self.init(
                .failure, "cannot parse the daemon's answer: \(error)",
                next: "use mamctl and mamd of the same version: mamctl version")
        default: self.init(.failure, "\(error)")
        }
    }

    static func wayOut(of account: String) -> Message {
        "if it is forgotten: mamctl account passphrase \(account) --export FILE, or --forgotten"
            + " where an organisation helps; recovery words are taken in its place"
    }

    private static func advice(onGuess error: VarlinkError, _ account: String) -> Message {
        switch error.consequence {
        case .lockedOut: "mamctl account login \(account); \(wayOut(of: account))"
        case .wiped: "\(importCommand) brings the keys back from an export, a backup the files"
        // An export's or a recovery key's.
        case nil where account.isEmpty: "enter it again"
        case nil:
            error.outlook.map { "enter it again; \($0); \(wayOut(of: account))" }
                ?? "enter it again; \(wayOut(of: account))"
        }
    }

    /// The daemon's error about `subject`.
    init(_ error: VarlinkError, about subject: Message) {
        let account = error.parameters["account"]?.text.map { shown($0) } ?? ""
        let usual: Message? =
            switch error.ofWorkspace {
            case .unknownAccount, .notManaged: "mamctl account list"
            case .unmanagedOwner: "mamctl account list, or add --unmanaged if that is intended"
            case .accountExists, .windowClosed: "mamctl unlock \(account)"
            case .wrongPassphrase: Self.advice(onGuess: error, account)
            case .notTried: "wait, then enter it again"
            case .sealedFiles:
                "\(importCommand), or mamctl account register \(account) --new-keys"
            case .blocked where AccountBlock.Kind(error) == .passphrase:
                "mamctl account passphrase \(account)"
            case .blocked where AccountBlock.Kind(error) == .launch:
                "correct that, or ask who manages the account; then mamctl account login \(account)"
            case .blocked: "mamctl account login \(account)"
            case .refused where error.refusalCause != nil: "mamctl policy show"
            case .damaged: "mamctl verify, and restore the file from a backup"
            case .systemError: Self.advice(on: Errno(of: error))
            case .refused, .notFound, .invalidInput, nil: nil
            }
        // An error that names its account needs no subject, except WindowClosed, where the subject
        // is often a file.
        let saysAll = !account.isEmpty && error.ofWorkspace != .windowClosed
        let message: Message = saysAll ? "\(error)" : "\(subject): \(error)"
        // Prefer the daemon's hint: it knows more.
        self.init(ExitStatus(error), message, next: error.next.map { Message(known: $0) } ?? usual)
        kind = error.lastName
        refusalCause = error.refusalCause
        isFinal = error.consequence != nil
        cause = Errno(of: error)
    }

    func report(isJSON: Bool) { report(by: "mamctl", isJSON: isJSON) }
}

extension Errno {
    /// The error number of the daemon's system call.
    fileprivate init?(of error: VarlinkError) {
        guard let number = error.parameters["errno"]?.integer, let code = Int32(exactly: number)
        else { return nil }
        self.init(rawValue: code)
    }
}

extension AccountBlock.Kind {
    fileprivate init?(_ error: VarlinkError) {
        self.init(rawValue: error.parameters["kind"]?.text ?? "")
    }
}
