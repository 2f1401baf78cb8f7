// `fleet join CODE`: mamfleet has the network.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

extension Option {
    static let wait = Option(
        "wait", value: "SECONDS", "after CODE, for the administrator to let this machine in; 30")
}

/// Whether the operand is an invitation's code, or says that it comes by standard input.
func isInvitation(_ operand: ByteString) -> Bool {
    operand.bytes == [UInt8(ascii: "-")]
        || operand.bytes.starts(with: InvitationCode.prefix.utf8)
}

/// Replaces this program; returns why it could not. The code goes through a pipe, since everybody
/// sees arguments.
func joinByCode(_ invocation: Invocation) throws -> Failure {
    let (verb, operands) = (invocation.verb, invocation.operands)
    guard operands.count == 1, !invocation.arguments.has("fingerprint") else {
        return .usage(verb, "a code has all that is needed: nothing else goes with it")
    }
    let code = operands[0].bytes
    if code.count > 1 {
        let reader = try pipe(holdingCode: operands[0], invocation)
        _ = try retrying { dup2(reader.raw, STDIN_FILENO) }
    }
    var words = [ByteString("join"), ByteString("-")]
    for option in ["workspace", "wait"] {
        if let value = invocation.arguments.value(option) {
            words += [ByteString("--\(option)"), value]
        }
    }
    if invocation.isJSON { words.append(ByteString("--json")) }
    return executeMamfleet(words)
}

func pipe(holdingCode code: ByteString, _ invocation: Invocation) throws -> Descriptor {
    guard code.bytes.count <= InvitationCode.maximumByteCount else {
        throw invocation.misuse("the code is too long")
    }
    let (reader, writer) = try makePipe()
    // The pipe holds it all.
    try writeAll(code.bytes, to: writer.raw)
    return reader
}
