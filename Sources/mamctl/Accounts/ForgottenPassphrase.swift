// `account passphrase --forgotten`: the organisation helps, and the person chooses a new one.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Run once it asks; run again, once the order is here, it takes the new passphrase.
struct ForgottenPassphrase {
    let invocation: Invocation
    let daemon: Daemon

    func help() throws -> ExitStatus {
        try invocation.refuse(
            ["passfile", "extpass", "export"] + Option.ofExport.map(\.name), with: "forgotten")
        let account = try invocation.account(of: daemon)
        let asked = try daemon.call(
            Varlink.Recovery.AskReset(account: account.label),
            about: "account '\(account.label)'"
        ).request
        if asked.answered { return try reset(account) }
        try requireNoPassphrase(account, asked)
        return invocation.answer(
            ["reset": asked.json.merging(["account": .string(account.label)])],
            words: words(account, asked))
    }

    /// Nothing is done with a passphrase that was given too early: 0 would say that it counts.
    private func requireNoPassphrase(
        _ account: AccountReport, _ asked: Varlink.Recovery.ResetRequest
    ) throws(Failure) {
        for name in ["new-passfile", "new-extpass", "no-passphrase"]
        where invocation.arguments.has(name) {
            throw Failure(
                .refused,
                "\(account.label): \(excerpt(of: asked.organization)) was asked, and has not"
                    + " answered yet",
                next: "read the code \(asked.code) to the help desk, and run this later")
        }
    }

    private func reset(_ account: AccountReport) throws -> ExitStatus {
        let new = try askingAgain(if: invocation.arguments.isTyped("new-")) {
            () throws -> SecretBuffer? in
            let new = try invocation.newPassphrase(replacing: account)
            var secrets = SecretParameters()
            let request = Varlink.Recovery.ResetAsOrdered(
                account: account.label, passphraseDescriptor: try secrets.add(new),
                noPassphrase: new == nil ? true : nil)
            try daemon.call(
                request, descriptors: secrets.descriptors, about: "account '\(account.label)'")
            return new
        }
        return try reportReset(
            try daemon.status().accounts.first { $0.id == account.id } ?? account, new,
            invocation, daemon)
    }

    private func words(
        _ account: AccountReport, _ asked: Varlink.Recovery.ResetRequest
    ) -> Message {
        let organization = excerpt(of: asked.organization)
        return """
            \(account.label): \(organization) is asked for a new passphrase, until \
            \(rfc3339(Int64(asked.ends)))
            machine  \(asked.machine)
            code     \(asked.code)
            Read the code to your help desk: by it they know that you ask, and not somebody else.
            Once they have answered, run this again here, and choose a new passphrase. Do not guess
            meanwhile: wrong passphrases count.
            """
    }
}
