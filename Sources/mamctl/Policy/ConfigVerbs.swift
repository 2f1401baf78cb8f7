// `config …`: an account's app configuration. `configure`: checks and normalises settings.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem
internal import MAMWire

/// Prints the bare value, for scripts; exits with 1 if there is none.
func getConfiguration(_ invocation: Invocation) throws -> ExitStatus {
    let reply = try invocation.policy(
        Varlink.Policy.ConfigurationValue(
            key: try invocation.operands[0].requireText("the key"),
            type: try invocation.arguments.text("type").flatMap { .init(rawValue: $0) },
            query: try invocation.arguments.text("query").flatMap { .init(rawValue: $0) },
            account: try invocation.arguments.text("account")))
    if invocation.isJSON {
        printJSON(reply.json)
    } else if let value = reply.value {
        printOut(verbatim: words(value))
    }
    return reply.value == nil ? .failure : .success
}

/// Exits with 0 if targeted values differ, 1 if not.
func configurationConflicts(_ invocation: Invocation) throws -> ExitStatus {
    let reply = try invocation.policy(
        Varlink.Policy.ConfigurationConflict(
            key: try invocation.operands[0].requireText("the key"),
            account: try invocation.arguments.text("account")))
    invocation.answer(reply.json, words: reply.conflict ? "the values conflict" : "no conflict")
    return reply.conflict ? .success : .failure
}

func listConfiguration(_ invocation: Invocation) throws -> ExitStatus {
    let account = try invocation.arguments.text("account")
    let data = try invocation.policy(
        Varlink.Policy.Configuration(accounts: account.map { [$0] })
    ).fullData
    if invocation.isJSON {
        printJSON(data.json)
        return .success
    }
    for configuration in data {
        for (key, value) in (configuration.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            printOut(verbatim: "\(shown(key))\t\(words(value))")
        }
    }
    return .success
}

private func words(_ value: JSONValue) -> String {
    shown(value.text ?? String(decoding: value.encoded(), as: UTF8.self))
}

/// Does not rewrite settings that are already in normal form.
func configure(_ invocation: Invocation) throws -> ExitStatus {
    let path = invocation.operands[0]
    let output = invocation.arguments.value("output") ?? path
    let bytes = try readSettings(path)
    let settings: Settings
    do throws(PolicyError) { settings = try Settings.decode(bytes) } catch {
        throw Failure(
            .usage, "\(path.shown): \(error)", next: "correct it; man mamctl lists the settings")
    }
    let isJSONFile = (try? JSONValue(parsing: documentText(bytes))) != nil
    guard isJSONFile || output != path else {
        throw Failure(
            .usage, "\(path.shown) is a property list, which cannot be written",
            next: "add -o settings.json")
    }
    let result = settings.json.encoded(pretty: true) + [UInt8(ascii: "\n")]
    let isChanged = output != path || result != bytes
    if isChanged { try replace(output, from: path, with: result) }
    return invocation.answer(
        ["path": .string(output.shown), "changed": .bool(isChanged)],
        words: isChanged ? "\(output.shown): written" : "\(output.shown): nothing to change")
}

private func replace(
    _ output: ByteString, from source: ByteString, with bytes: [UInt8]
) throws(Failure) {
    let attributes = try naming(
        source, status(at: workingDirectory, source.cString, followLinks: true))
    let file = try NewFile(for: output, from: source, replacing: true)
    try file.write(bytes)
    try file.finish(like: attributes)
}
