// A bundle's data from a workspace's files: settings, keybags, log and audit. Needs no daemon.

internal import Glibc
internal import MAMAudit
internal import MAMKeyring
internal import MAMModel
internal import MAMPlaces
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem
internal import MAMWire

/// Reads one workspace's directories and replaces names.
struct StateDiagnostics {
    let configuration: String
    let state: String
    let names: Pseudonyms

    private static let lineCount = 300
    private static let recordCount = 500

    /// The settings without free text.
    var settings: JSONValue {
        let path = "\(configuration)/settings.json"
        guard let bytes = try? readSmallFile(path, maximumByteCount: 1 << 20) else {
            return .null
        }
        guard let members = (try? JSONValue(parsing: bytes))?.object else {
            return ["error": "it is not a JSON object"]
        }
        let warnings = (try? Settings.decode(bytes))?.warnings.count
        return [
            "values": shownSettings(members),
            "warnings": warnings.map { JSONValue($0) } ?? "refused",
        ]
    }

    /// The numbered policy documents, and whether the daemon would accept each.
    var policyFiles: JSONValue {
        let directory = "\(configuration)/policies"
        let files = ((try? entries(of: ByteString(directory))) ?? []).sorted {
            $0.bytes.lexicographicallyPrecedes($1.bytes)
        }
        return .array(
            files.compactMap { file in
                let path = ByteString(directory).appending(file)
                guard let bytes = try? readSmallFile(path.cString, maximumByteCount: 4 << 20)
                else { return nil }
                let findings = PolicyLint.check(bytes)
                return [
                    "document": .string(names.name(.document, file.shown)),
                    "bytes": JSONValue(bytes.count),
                    "findings": .array(
                        findings.map { finding in
                            [
                                "severity": .string(finding.severity.rawValue),
                                "line": finding.line.map { JSONValue($0) } ?? .null,
                            ]
                        }),
                ]
            })
    }

    /// The keybags' parameters, without keys, salts and ids.
    var keybags: JSONValue {
        let directory = "\(state)/keybags"
        let files = ((try? entries(of: ByteString(directory))) ?? []).map(\.shown)
        return .array(
            files.filter { $0.hasSuffix(".keybag") }.sorted().map { keybag($0, directory) })
    }

    private func keybag(_ file: String, _ directory: String) -> JSONValue {
        let path = "\(directory)/\(file)"
        let (first, copy) = (Self.keybag(at: path), Self.keybag(at: "\(path).copy"))
        guard let keybag = first ?? copy else { return ["state": "both copies are damaged"] }
        let account = keybag.identity.description
        names.learn(
            account, alsoCalled: [keybag.identity.objectID, keybag.accountID.bytes.description])
        let state =
            first == nil
            ? "the first copy is damaged"
            : copy == nil
                ? "the second copy is damaged"
                : first?.generation == copy?.generation
                    ? "both copies are intact" : "the copies differ in age"
        let cost = keybag.slots.lazy.compactMap(\.derivation).first?.cost
        return [
            "account": .string(names.name(.account, account)),
            "generation": JSONValue(keybag.generation), "state": .string(state),
            "uid": JSONValue(keybag.uid), "passphrase": .bool(cost != nil),
            "derivationPasses": cost.map { JSONValue($0.passes) } ?? .null,
            "derivationMiB": cost.map { JSONValue($0.memoryByteCount >> 20) } ?? .null,
            "slots": .array(keybag.slots.map { .string("\($0.kind)") }),
        ]
    }

    /// Nil if it is missing, damaged or newer.
    private static func keybag(at path: String) -> Keybag? {
        let bytes = try? readSmallFile(path, maximumByteCount: Keybag.maximumByteCount)
        return bytes.flatMap { try? Keybag.decode($0.span.bytes) }
    }

    /// The newest audit records, with pseudonyms.
    var audit: JSONValue {
        let records = (try? auditRecords(inState: state)) ?? []
        return .array(records.suffix(Self.recordCount).map { .object(shown($0)) })
    }

    private func shown(_ record: AuditRecord) -> [String: JSONValue] {
        var members = record.members
        guard !names.showsNames else { return members }
        members["account"] = names.name(.account, members["account"])
        members["receiver"] = names.name(.account, members["receiver"])
        members["path"] = names.name(.path, members["path"])
        members["program"] = names.name(.program, members["program"])
        // The sentence may contain names.
        members["reason"] = nil
        members["pid"] = nil
        return members
    }

    /// The end of the daemon's log file, or of its part of the journal.
    func log(of workspace: WorkspaceName) -> JSONValue {
        let own = (try? readEnd(of: "\(state)/mamd.log")) ?? []
        let journal =
            output(of: [
                "journalctl", "--quiet", "--no-pager", "-o", "short-iso", "--no-hostname",
                "-n", "\(Self.lineCount)", "MAMD_WORKSPACE=\(workspace)",
            ]) ?? []
        let lines = [own, journal].flatMap { bytes in
            String(decoding: bytes, as: UTF8.self).split(separator: "\n").suffix(Self.lineCount)
        }.map(String.init)
        return .array(lines.map { .string(names.showsNames ? $0 : withoutNames($0)) })
    }

    private func readEnd(of path: String) throws(Errno) -> [UInt8] {
        let file = try openFile(path, O_RDONLY | O_NOFOLLOW)
        return try MAMSystem.readEnd(of: file, maximumByteCount: 1 << 18)
    }
}
