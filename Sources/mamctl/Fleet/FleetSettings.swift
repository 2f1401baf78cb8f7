// What an organisation asks of machines' settings: the file, and what it says.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem
internal import MAMWire

/// `settings.json` of the organisation's directory, for all machines.
let settingsSlot = Slot(.settings, .all, "settings.json")

/// Nothing without the file. One that machines would refuse refuses the push.
func wantedSettings(in directory: OrganizationDirectory) throws -> [WantedPolicy] {
    let name = settingsSlot.name
    guard try directory.has(name) else { return [] }
    let path = directory.whole(name)
    let bytes = documentText(try readFile(path, atMost: Envelope.maximumByteCount))
    if let flaw = flaw(of: bytes, as: .settings) {
        throw Failure(
            .usage,
            "\(path.shown)\(settingsPlace(of: bytes)): not signed, machines would refuse it:"
                + " \(flaw)", next: "correct it, and push again")
    }
    return [WantedPolicy(settingsSlot, bytes, from: path.shown)]
}

/// `:LINE` of what is wrong, as far as that is known.
func settingsPlace(of content: [UInt8]) -> String {
    do throws(PolicyError) { _ = try AskedSettings(parsing: content) } catch {
        switch error {
        case .notAsked(let key, _), .value(let key, _):
            return line(of: key.split(separator: ".").map(String.init), in: content)
                .map { ":\($0)" } ?? ""
        default: return ""
        }
    }
    return ""
}

/// What a signed document asks.
func settingsRows(of content: [UInt8]) -> [[Message]] {
    guard !content.isEmpty else { return [["content", "withdrawn"]] }
    guard let asked = try? AskedSettings(parsing: content) else { return [] }
    let contact: [[Message]] = asked.contact.map { [["contact", .verbatim(shown($0))]] } ?? []
    return contact
        + asked.values.sorted { $0.key < $1.key }.map { key, value in
            let text = String(decoding: value.encoded(), as: UTF8.self)
            return ["asks", .verbatim("\(key): \(excerpt(of: text))")]
        }
}

/// What a push asks of machines' settings, before it is signed.
struct ShownSettings {
    private let change: PolicyChange
    private let machines: [SurveyedMachine]
    private let asked: AskedSettings
    /// The keys for which less is asked than before.
    private let laxer: [String]

    init(_ change: PolicyChange, _ survey: Survey) {
        self.change = change
        machines = survey.machines.filter { machine in
            let id = machine.entry.machine
            return !machine.isRevoked
                && change.slot.audience.includes(id, in: survey.wanted.groups(of: id))
        }
        let former = change.former.flatMap { try? AskedSettings(parsing: $0.content) }
        asked = (try? AskedSettings(parsing: change.content)) ?? AskedSettings()
        laxer = former?.keysLaxer(in: asked) ?? []
    }

    private var silent: [SurveyedMachine] { machines.filter { $0.status == nil } }

    /// Those that would contain programs from now on, or cannot.
    private var uncontained: [SurveyedMachine] {
        guard let value = asked.values["Containment"]?.text, value != "off" else { return [] }
        return machines.filter { $0.status?.contained == false }
    }

    /// Labels and sentences.
    var rows: [[Message]] {
        var rows: [[Message]] = [["for", machines.count.counted("machine")]]
        rows += change.differences.map {
            ["asks", .verbatim(excerpt(of: change.action == .new ? $0.newText : $0.text))]
        }
        if !uncontained.isEmpty {
            rows.append(["stricter", "no programs are contained so far on \(list(uncontained))"])
        }
        if !silent.isEmpty { rows.append(["unknown", "no report counts of \(list(silent))"]) }
        rows.append(["note", "a machine whose own setting is stricter keeps that"])
        if asked.contact != nil {
            rows.append([
                "note",
                "a mamd that does not know Contact yet refuses this, and a time that lists it:"
                    + " update the machines first",
            ])
        }
        return rows + (doubt.map { [["beware", $0]] } ?? [])
    }

    /// Why it should be asked for twice; nil: it need not.
    var doubt: Message? {
        laxer.isEmpty
            ? nil : "\(change.slot.name) asks less than before: \(laxer.joined(separator: ", "))"
    }

    private func list(_ machines: [SurveyedMachine]) -> String {
        let names = machines.prefix(Self.namedCount).map { excerpt(of: $0.label) }
        return (names + (machines.count > names.count ? ["…"] : [])).joined(separator: ", ")
    }

    private static let namedCount = 5

    var json: JSONValue {
        [
            "machines": ids(machines), "unknown": ids(silent), "uncontained": ids(uncontained),
            "laxer": JSONValue(texts: laxer),
        ]
    }

    private func ids(_ machines: [SurveyedMachine]) -> JSONValue {
        JSONValue(texts: machines.map(\.entry.machine.description))
    }
}
