// `fleet keygen` and `fleet key`.

internal import MAMCommandLine
internal import MAMCrypto
internal import MAMFleet
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
internal import MAMWire

func makeSigningKey(_ invocation: Invocation) throws -> ExitStatus {
    let (output, publicKey) = try makeKeyFile(SigningKeyFile.self, invocation)
    if invocation.isJSON {
        printJSON(publicKey.json.merging(["path": .string(output.shown)]))
    } else {
        printOut(verbatim: publicKey.text)
        printError(
            "Give this line to whoever makes the root; its id is \(publicKey.id).\n\(output.shown)"
                + " signs for the organisation: keep it off the machines that obey it, and keep a"
                + " copy.")
    }
    return .success
}

func showSigningKey(_ invocation: Invocation) throws -> ExitStatus {
    let operand = invocation.operands[0]
    let publicKey =
        if let given = operand.text.flatMap(SigningPublicKey.init(text:)) {
            given
        } else { try FleetKey.publicKey(of: operand) }
    if invocation.isJSON {
        printJSON(publicKey.json)
    } else {
        printOut(
            verbatim: table([
                ["id", .verbatim(publicKey.id.description)],
                ["public key", .verbatim(publicKey.text)],
            ]))
    }
    return .success
}

extension SigningPublicKey {
    /// As roots and signatures name the key.
    var id: Bytes16 { Bytes16(ofKey: bytes) }

    fileprivate var json: JSONValue {
        ["id": .string(id.description), "publicKey": .string(text)]
    }
}

extension JSONValue {
    /// An object with more members.
    func merging(_ more: [String: JSONValue]) -> JSONValue {
        .object((object ?? [:]).merging(more) { $1 })
    }
}
