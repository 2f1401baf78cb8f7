// Why a machine needs attention, for people and for programs.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMPolicy
internal import MAMSystem
internal import MAMWire

/// The beginning of a machine's text, which may be anything.
func excerpt(of text: String) -> String {
    // By scalars: one character may have thousands of accents.
    let shown = ByteString(text).shown.unicodeScalars
    return shown.count > 200 ? "\(String(shown.prefix(200)))…" : String(shown)
}

extension RegisteredMachine {
    /// An excerpt of the register's name, else its id.
    var shownName: String { name.isEmpty ? machine.description : excerpt(of: name) }
}

extension SurveyedMachine.Attention {
    /// A clause that can stand beside others.
    var words: Message {
        switch self {
        case .refused(let reason): "its report does not count: \(excerpt(of: reason))"
        case .silent: "it has not reported yet"
        case .stale(let seconds): "it last reported \(Int(seconds).asTimeAgo)"
        case .early(let seconds):
            "its report is of a time to come, in \(Int(seconds).asRoughDuration): its clock is"
                + " wrong"
        case .replayed(let seconds):
            "its status is \(Int(seconds).asRoughDuration) older than its audit: an old one was put"
                + " back"
        case .auditUnreadable(let error):
            "its audit cannot be read, and its status may be an old one: \(error)"
        case .suspects(let counts): Self.words(counts)
        case .revoked: "it was revoked and has reported since"
        case .problem(let text): "check-ins fail: \(excerpt(of: text))"
        case .notCompliant(let count, _):
            Message(
                count, one: "\(count.grouped) account does not meet the conditions",
                many: "\(count.grouped) accounts do not meet the conditions")
        case .blocked(let count, let reasons):
            Self.blocked(count, reasons)
        case .resetAsked(let names):
            "a new passphrase is asked for: \(Self.listed(names)); have the code read to you, then"
                + " mamctl fleet order reset"
        case .findings(let count):
            "the last verify found \(Int(clamping: count).counted("problem"))"
        case .settings(let unmet): Self.words(unmet)
        case .documents(let differences): Self.words(differences)
        case .overdue(let nonces):
            "it has not obeyed \(nonces.count.counted("order")) for a day:"
                + " \(Self.shown(nonces))"
        case .expired(let nonces):
            Message(
                nonces.count,
                one: "\(nonces.count.grouped) order expired unheard: \(Self.shown(nonces));"
                    + " mamctl fleet orders says how to send it again",
                many: "\(nonces.count.grouped) orders expired unheard: \(Self.shown(nonces));"
                    + " mamctl fleet orders says how to send them again")
        }
    }

    private static func words(_ unmet: [String: String]) -> Message {
        guard !unmet.isEmpty else { return "it does not answer what is asked of its settings" }
        let some = unmet.sorted { $0.key < $1.key }.prefix(maximumShownCount).map { key, reason in
            "\(excerpt(of: key)) (\(excerpt(of: reason)))"
        }
        let list = (some + (unmet.count > some.count ? ["…"] : [])).joined(separator: ", ")
        return "it does not do what is asked of its settings: \(list)"
    }

    /// Machines may report any number, and kinds that are not known here.
    private static func words(_ counts: [String: Int64]) -> Message {
        let parts: [Message] = Refusal.Kind.allCases.compactMap { kind in
            guard let count = counts[kind.rawValue] else { return nil }
            let number = Int(clamping: count).grouped
            return switch kind {
            case .unsigned: "\(number) not signed enough"
            case .otherOrganization: "\(number) of another organisation"
            case .twoOfOneSerial: "\(number) of a serial that another has"
            case .older, .malformed, .other: nil
            }
        }
        var sum: Int64 = 0
        for count in counts.values { sum.add(saturating: count) }
        let all = Int(clamping: sum)
        return Message(
            all, one: "it was sent \(all.grouped) document that is not its organisation's",
            many: "it was sent \(all.grouped) documents that are not its organisation's")
            + (parts.isEmpty ? "" : ": \(parts.joined(separator: ", "))")
    }

    private static func shown(_ nonces: [String]) -> String {
        let some = nonces.prefix(maximumShownCount).map { String($0.prefix(8)) }
        return (some + (nonces.count > some.count ? ["…"] : [])).joined(separator: ", ")
    }

    private static let maximumShownCount = 3

    private static func listed(_ names: [String]) -> String {
        let some = names.prefix(maximumShownCount).map(excerpt(of:))
        return (some + (names.count > some.count ? ["…"] : [])).joined(separator: ", ")
    }

    private static func blocked(_ count: Int, _ reasons: [String]) -> Message {
        let blocked = Message(
            count, one: "\(count.grouped) account is blocked",
            many: "\(count.grouped) accounts are blocked")
        return reasons.isEmpty
            ? blocked : "\(blocked): \(excerpt(of: reasons.joined(separator: ", ")))"
    }

    private static func words(_ differences: [Difference]) -> Message {
        let some = differences.prefix(maximumShownCount).map(\.words)
        let rest = differences.count - some.count
        return (some + (rest > 0 ? [more(rest)] : [])).joined(separator: "; ")
    }
}

private func more(_ count: Int) -> Message {
    Message(
        count, one: "\(count) more document differs", many: "\(count) more documents differ")
}

extension Difference {
    /// About one machine.
    var words: Message {
        let serial = found.map { "\($0)" } ?? ""
        let slot = excerpt(of: slot)
        return switch kind {
        case .missing: "it lacks \(slot) serial \(wanted ?? 0)"
        case .behind: "it has \(slot) serial \(serial), not \(wanted ?? 0)"
        case .ahead: "it has \(slot) serial \(serial), and there is only \(wanted ?? 0) here"
        case .unknown: "it has \(slot) serial \(serial), which is not here"
        case .foreign: "it keeps \(slot) serial \(serial), for a group that it is not in"
        }
    }

    var json: JSONValue {
        [
            "kind": .string(kind.rawValue), "slot": .string(excerpt(of: slot)),
            "wanted": JSONValue(serial: wanted), "found": JSONValue(serial: found),
            "sinceReport": .bool(isOpen),
        ]
    }
}

extension JSONValue {
    init(serial: Int64?) { self = serial.map { .integer($0) } ?? .null }

    init(time: Int64?) { self = time.map { .string(rfc3339($0)) } ?? .null }

    /// An object with more members.
    func merging(_ more: [String: JSONValue]) -> JSONValue {
        .object((object ?? [:]).merging(more) { $1 })
    }
}

extension SurveyedMachine {
    /// All reasons, the worst first.
    var why: Message { attention.map(\.words).joined(separator: "; ") }

    var json: JSONValue {
        var members: [String: JSONValue] = [
            "machine": .string(entry.machine.description), "name": .string(excerpt(of: entry.name)),
            "state": .string(state.rawValue), "reported": JSONValue(time: issued),
            "groups": JSONValue(texts: entry.groups.map(excerpt(of:))),
            "attention": .array(
                attention.map {
                    ["kind": .string($0.name), "text": .string($0.words.english)]
                }),
            "differences": .array(differences.map(\.json)), "status": .null,
        ]
        if let status { members["status"] = status.json }
        return .object(members)
    }
}

extension MachineStatus {
    /// What it says, without the documents, which the differences tell.
    fileprivate var json: JSONValue {
        [
            "version": .string(excerpt(of: version)), "host": .string(excerpt(of: host)),
            "workspace": .string(excerpt(of: workspace)), "kernel": .string(excerpt(of: kernel)),
            "contained": .bool(contained), "mounted": .bool(mounted),
            "pending": .integer(pending), "refused": .integer(refused),
            "facts": facts?.json ?? .null,
            "problem": JSONValue(problem.map(excerpt(of:))),
            "verified": JSONValue(time: verify?.time),
            "findings": JSONValue(serial: verify?.findings),
            "suspects": .object(
                Dictionary(
                    suspects.map { (excerpt(of: $0.key), .integer($0.value)) },
                    uniquingKeysWith: { first, _ in first })),
            "settings": settings.map { settings in
                .object(
                    Dictionary(
                        settings.map { (excerpt(of: $0.key), .string(excerpt(of: $0.value))) },
                        uniquingKeysWith: { first, _ in first }))
            } ?? .null,
            "accounts": .array(accounts.map(\.json)),
        ]
    }
}

extension MachineStatus.Facts {
    fileprivate var json: JSONValue {
        [
            "system": .string(excerpt(of: system)),
            "encrypted": isEncrypted.map { .bool($0) } ?? .null,
            "restartRequired": .bool(needsRestart),
        ]
    }
}

extension MachineStatus.Account {
    fileprivate var json: JSONValue {
        [
            "id": .string(id.description), "name": .string(excerpt(of: name)),
            "objectId": .string(excerpt(of: objectID)), "window": .string(window.rawValue),
            "blockedBy": JSONValue(blockedBy.map(excerpt(of:))), "compliant": .bool(compliant),
            "checkedIn": JSONValue(time: checkedIn),
            "resetAskedUntil": JSONValue(time: reset?.ends),
        ]
    }
}

extension Wanted.Flaw {
    /// A sentence.
    var words: Message {
        switch self {
        case .unusable(let file):
            "\(excerpt(of: file.name)) does not count: \(excerpt(of: file.reason))."
        case .noTime: "There is no signed time: check-ins fail (mamctl fleet time)."
        case .oldTime(let time):
            "The time is of \(rfc3339(time)), more than a day ago: check-ins fail."
        case .expired(let slot, let time):
            "\(slot) expired at \(rfc3339(time)): check-ins fail."
        case .expiresSoon(let slot, let time): "\(slot) expires at \(rfc3339(time))."
        case .lacksOrderKeys(let slot, true):
            "\(slot) names a recovery key, and too few order keys have signed it: machines that"
                + " lack it refuse it (mamctl fleet cosign)."
        case .lacksOrderKeys(let slot, false):
            "\(slot) names a recovery key, or takes one away, and is not sent before enough order"
                + " keys have signed it (mamctl fleet cosign)."
        case .signedLater(let slot, let time):
            "\(slot) is of a time to come, \(rfc3339(time)): the clock of its signer was ahead, and"
                + " whether machines lack it is not known until then. Sign it again."
        case .timeLacks(let slot):
            "The time lists no \(slot) or an older one: sign it again (mamctl fleet time)."
        case .missing(let slot, let serial):
            "The time lists \(slot) serial \(serial), which is not here."
        case .certificateEnds(let certificate):
            "\(certificate.name) ends at \(rfc3339(certificate.ends)): \(certificate.next)."
        case .certificateEnded(let certificate):
            certificate.server == nil
                ? "\(certificate.name) has ended at \(rfc3339(certificate.ends)): nobody connects"
                    + " any more, nor learns of the next one. Run \(certificate.renewal), copy the"
                    + " servers' files, and join each machine by a new code (mamctl fleet invite)."
                : "\(certificate.name) has ended at \(rfc3339(certificate.ends)): nobody connects"
                    + " there any more: \(certificate.next)."
        }
    }
}

extension EngineCertificate {
    fileprivate var name: Message {
        server.map { "The certificate of \($0)" } ?? "The authority of the servers' certificates"
    }

    fileprivate var next: Message {
        if server != nil { return "mamctl fleet engine renew" }
        return hasSuccessor
            ? "once all machines know the next one, mamctl fleet engine renew --authority use"
            : "mamctl fleet engine renew --authority new"
    }

    /// Of an authority that nobody believes any more.
    fileprivate var renewal: Message {
        hasSuccessor
            ? "mamctl fleet engine renew --authority use"
            : "mamctl fleet engine renew --authority new, then --authority use"
    }

    var json: JSONValue { ["server": JSONValue(server), "ends": JSONValue(time: ends)] }
}

private let maximumNamedCount = 3

extension Survey {
    /// What may surprise, and needs no attention; sentences.
    var warnings: [Message] {
        olderMachines
            + wanted.unordered.compactMap { document in
                let policies = (try? document.envelope.policies()) ?? []
                let rules = policies.wipeRules.joined(separator: ", ")
                guard !rules.isEmpty else { return nil }
                return
                    "\(document.slot) closes accounts, and wipes them (\(rules)) only once enough"
                    + " order keys have signed it."
            } + rolloutWords(isIll: false)
    }

    /// Whose mamd is older than this program: what is signed here they may not know.
    private var olderMachines: [Message] {
        let own = VersionNumber(productVersion)
        let older = machines.filter { machine in
            guard !machine.isRevoked, let own,
                let other = machine.status.flatMap({ VersionNumber($0.version) })
            else { return false }
            return other < own
        }
        guard !older.isEmpty else { return [] }
        let names = older.prefix(maximumNamedCount).map { excerpt(of: $0.label) }
        let list = (names + (older.count > names.count ? ["…"] : [])).joined(separator: ", ")
        let count = older.count.grouped
        return [
            Message(
                older.count,
                one: "\(count) machine has an older mamd than \(productVersion): \(list).",
                many: "\(count) machines have an older mamd than \(productVersion): \(list).")
        ]
    }

    /// What is wrong with the directory itself; sentences.
    var flaws: [Message] {
        (wanted.flaws + engineFlaws).map(\.words) + rolloutWords(isIll: true)
            + (unreadable + orders.unusable).map {
                "\(excerpt(of: $0.name)) does not count: \(excerpt(of: $0.reason))."
            }
            + (strays.isEmpty
                ? []
                : [
                    "\(strays.count.counted("report")) of machines that the register does not know:"
                        + " \(excerpt(of: strays[0]))\(strays.count > 1 ? ", …" : "")."
                ])
    }
}

extension Survey {
    /// Where a push by rings stands, if a machine is worse since, or if none is.
    private func rolloutWords(isIll: Bool) -> [Message] {
        guard let rollout, rollout.ill.isEmpty != isIll else { return [] }
        return [words(rollout)]
    }

    func words(_ rollout: Rollout) -> Message {
        let verdict = rollout.verdict(at: time, after: 0, tolerating: 0)
        return "\(rollout.summary(verdict)) (mamctl fleet push --next)."
    }
}
