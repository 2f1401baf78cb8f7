// What is right and wrong with one recovery record.

internal import MAMCommandLine
internal import MAMCrypto
internal import MAMFleet
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

struct CheckedRecord {
    let record: SurveyedRecord
    let state: State
    /// Why it is not good.
    private let reason: String?
    private let proven: [ProtectionClass]

    enum State: String {
        case missing, refused, damaged
        /// Of a good form, and not opened.
        case sealed
        /// With the recovery key, and it has the keys that are in use.
        case proven
        case unopened, unproven
    }

    /// Of an account that is gone a record may still open a backup.
    var isWiped: Bool { record.wiped != nil }

    /// One word for each record.
    private var label: String { isWiped ? "wiped" : state.rawValue }

    /// `pair`: opens it.
    init(_ record: SurveyedRecord, _ pair: Curve25519.KeyPair?, _ organization: Bytes16) {
        self.record = record
        let found = Self.check(record, pair, organization)
        (state, reason, proven) = (found.0, found.1, found.2)
    }

    var isGood: Bool { state == .sealed || state == .proven }

    private static func check(
        _ record: SurveyedRecord, _ pair: Curve25519.KeyPair?, _ organization: Bytes16
    ) -> (State, String?, [ProtectionClass]) {
        let report: RecordReport
        switch record.found {
        case .none: return (.missing, "it has sent no record", [])
        case .refused(let reason): return (.refused, reason, [])
        case .record(let found, _): report = found
        }
        do throws(KeyExportError) {
            let export = try KeyExport.decode(report.record)
            if let flaw = flaw(of: export, report) { return (.damaged, flaw, []) }
            guard let pair else { return (.sealed, nil, []) }
            let opened = try export.open(recoveryKey: pair)
            let proven = RecoveryProof.provenClasses(
                report.proof, of: export, opened: opened, account: AccountID(report.account),
                organization: organization)
            guard let proven else {
                return (.unproven, "its keys are not those that the machine uses", [])
            }
            return (.proven, nil, proven)
        } catch {
            if case .otherRecoveryKey = error { return (.unopened, "\(error)", []) }
            return (.damaged, "\(error)", [])
        }
    }

    private static func flaw(of export: KeyExport, _ report: RecordReport) -> String? {
        guard export.accountID.bytes == report.account else {
            return "it has the keys of another account"
        }
        guard case .recoveryKey(let key, _) = export.lock else {
            return "it is sealed under a passphrase"
        }
        guard key.shortName == report.recoveryKey else {
            return "it is sealed to another recovery key than the machine says"
        }
        return nil
    }

    // MARK: For people and programs

    var words: Message {
        let content: Message =
            switch state {
            case .sealed: "sealed to \(key ?? "")"
            case .proven:
                isWiped
                    ? "opened" : "opened; the keys in use: \(letters)"
            default: Message(known: excerpt(of: reason ?? ""))
            }
        return wipe.map { "\($0); \(content)" } ?? content
    }

    private var letters: String { proven.map(\.letter).joined(separator: " ") }

    /// How it is known that the account is gone.
    var wipe: Message? {
        switch record.wiped {
        case nil: nil
        case .order(let nonce): "wiped by the order \(String(nonce.prefix(8)))"
        case .unlisted(let time): "its machine has it no more, as it said at \(rfc3339(time))"
        }
    }

    private var report: (RecordReport, issued: Int64)? {
        if case .record(let report, let issued) = record.found { (report, issued) } else { nil }
    }

    private var key: String? { report.map { excerpt(of: $0.0.recoveryKey) } }

    func row(at now: Int64) -> [Message] {
        [
            .verbatim(record.entry.shownName),
            .verbatim(shownAccount), .verbatim(label),
            report.map { Int(now - $0.issued).asTimeAgo } ?? "–", words,
        ]
    }

    private var shownAccount: String {
        let id = record.account.description
        return record.name.map { "\(excerpt(of: $0)) (\(id))" } ?? id
    }

    var json: JSONValue {
        [
            "machine": .string(record.entry.machine.description),
            "machineName": .string(excerpt(of: record.entry.name)),
            "account": .string(record.account.description),
            "name": JSONValue(record.name.map(excerpt(of:))), "state": .string(label),
            "reason": JSONValue(reason.map(excerpt(of:)) ?? wipe?.english),
            "sent": JSONValue(time: report?.issued),
            "recoveryKey": JSONValue(key),
            "proven": .array(proven.map { .string($0.letter) }),
        ]
    }
}
