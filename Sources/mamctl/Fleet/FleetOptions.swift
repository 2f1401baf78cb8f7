// The values of options that several verbs of `fleet` have.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMFormat
internal import MAMModel
internal import MAMSystem
internal import MAMWire

func required(_ name: String, _ invocation: Invocation) throws(Failure) -> ByteString {
    guard let value = invocation.arguments.value(name) else {
        throw invocation.misuse("--\(name) is needed")
    }
    return value
}

/// Nil without the option.
func number(
    _ name: String, _ range: ClosedRange<Int64>, _ invocation: Invocation
) throws(Failure) -> Int64? {
    guard let text = try invocation.arguments.text(name) else { return nil }
    guard let value = Int64(text), range.contains(value) else {
        throw invocation.misuse(
            "--\(name) is '\(shown(text))', not a number from \(range.lowerBound) to"
                + " \(range.upperBound)")
    }
    return value
}

extension Invocation {
    /// Where a document goes; `-`: to standard output, of which `--json` has no part then.
    func documentOutput() throws(Failure) -> ByteString {
        let path = try output()
        guard path.text == "-", isJSON else { return path }
        throw misuse("-o - writes the document itself to standard output, without --json")
    }

    /// Where a file goes that is to be signed there.
    func fileOutput() throws(Failure) -> ByteString {
        let path = try output()
        guard path.text != "-" else {
            throw misuse("-o must name a file, for others to sign there")
        }
        return path
    }
}

/// How long policies last, and memberships of `fleet sign`, unless something else is given. Those
/// of `fleet admit` last ``SignedDocument/longestDays``.
let usualDays: Int64 = 90

/// When a document is issued, and when it expires.
func validity(
    days: Int64, atMost maximum: Int64, _ invocation: Invocation
) throws(Failure) -> (issued: Int64, expires: Int64) {
    let now = Int64(currentTime())
    return (now, now + (try number("expires", 1...maximum, invocation) ?? days) * secondsPerDay)
}

func publicKey(_ text: ByteString, _ option: String) throws(Failure) -> SigningPublicKey {
    guard let key = text.text.flatMap(SigningPublicKey.init(text:)) else {
        throw Failure(
            .usage, "--\(option): '\(text.shown)' is no public key, or has a typing mistake",
            next: "mamctl fleet key KEY prints it")
    }
    return key
}

/// `ROLE=VALUE` of each use of an option.
func byRole(
    _ name: String, _ invocation: Invocation
) throws(Failure) -> [(role: Role, value: String)] {
    var found: [(role: Role, value: String)] = []
    for word in invocation.arguments.values(name) {
        let parts = word.shown.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let role = Role(rawValue: String(parts[0])) else {
            throw invocation.misuse(
                "--\(name) is '\(word.shown)'; it needs root=, policy=, order= or time= and a value"
            )
        }
        found.append((role, String(parts[1])))
    }
    return found
}

/// An id of 32 hexadecimal digits.
func id(_ text: String, _ what: Message) throws(Failure) -> Bytes16 {
    guard let id = Bytes16(hex: text), id.description == text else {
        throw Failure(
            .usage, "\(what) is '\(shown(text))', not 32 hexadecimal digits",
            next: "copy it from mamctl fleet key, or from the machine")
    }
    return id
}

/// In order, or one more than what the output replaces: an air-gapped machine needs no state.
func nextSerial(
    of slot: Slot, replacing path: ByteString, _ invocation: Invocation
) throws(Failure) -> Int64 {
    if let given = try number("serial", 1...Int64.max, invocation) { return given }
    let now = Int64(currentTime())
    guard invocation.arguments.has("force"), let former = try formerDocument(at: path),
        former.slot == slot
    else { return now }
    return try nextSerial(of: path, after: former.statement.serial, at: now)
}

/// The serial of what replaces the document at `path`. `now`: in seconds since 1970.
func nextSerial(
    of path: ByteString, after former: Int64?, at now: Int64
) throws(Failure) -> Int64 {
    guard former != .max else {
        throw Failure(
            .refused,
            "\(path.shown): its serial is \(Int64.max), and none is higher: machines would refuse"
                + " what is signed after it",
            next: "take the key away that signed it: mamctl fleet rotate")
    }
    return max(now, (former ?? 0) + 1)
}

/// Nil if there is none. The serial of one that cannot be read may be higher than any clock's.
private func formerDocument(at path: ByteString) throws(Failure) -> FleetFile? {
    do throws(Failure) { return try FleetFile(reading: path) } catch {
        if error.cause == .noEntry { return nil }
        throw Failure(
            error.status, "\(error.message), and so its serial is not known",
            next: "add --serial, with one that is higher than machines have")
    }
}
