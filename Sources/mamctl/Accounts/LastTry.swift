// The try whose failure would lock an account out or wipe it: said before it is made.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMWire

extension Invocation {
    /// Before the account's passphrase is read, says what a wrong one would lead to. A person is
    /// asked whether to go on. A program is not: it would lose what the right passphrase opens.
    func agreeToLastTry(of account: AccountReport) throws {
        guard let warning = account.lastTryWarning else { return }
        if arguments.has(.noLastTry) {
            let workspace = arguments.value("workspace").map { " --workspace \($0.asArgument)" }
            throw Failure(
                .refused, "\(warning) No passphrase was tried.",
                next: "mamctl unlock \(ByteString(account.label).asArgument)\(workspace ?? "")")
        }
        guard isatty(STDIN_FILENO) == 1 else {
            return printError("mamctl: \(warning)")
        }
        guard try Terminal.askOpenly("\(warning) Type yes to continue").text == "yes" else {
            throw Failure(
                .refused, "\(account.label): no passphrase was tried",
                next: Failure.wayOut(of: account.label))
        }
    }
}

extension Option {
    static let noLastTry = Option(
        "no-last-try", "try nothing where a wrong passphrase locks out or wipes the account")
}

extension AccountReport {
    /// What one more wrong passphrase leads to, as far as the daemon tells.
    fileprivate var lastTryWarning: Message? {
        switch lastTry {
        case .wiped: "One more wrong passphrase wipes \(label): its files here are destroyed."
        case .lockedOut:
            "One more wrong passphrase closes \(label) until mamctl account login."
        case nil: nil
        }
    }
}
