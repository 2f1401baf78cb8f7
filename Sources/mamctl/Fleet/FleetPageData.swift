// The page's table, as data for its script. All of it is text of machines, which may be hostile.

internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem

extension FleetPage {
    /// JSON without `<`, `>` and `&`, so that no text ends the element that it stands in.
    var data: HTML {
        let states = SurveyedMachine.State.allCases
        let json: JSONValue = [
            "time": .integer(survey.time),
            "states": .array(
                states.map {
                    [.string($0.rawValue), .string($0.words.english), .string($0.colour)]
                }),
            "reasons": .object(reasonLabels.mapValues { .string($0) }),
            "machines": .array(survey.machines.map { row($0, states) }),
        ]
        var safe: [UInt8] = []
        for byte in printable(json: json.encoded()) {
            switch byte {
            case UInt8(ascii: "<"): safe += "\\u003c".utf8
            case UInt8(ascii: ">"): safe += "\\u003e".utf8
            case UInt8(ascii: "&"): safe += "\\u0026".utf8
            default: safe.append(byte)
            }
        }
        return HTML(stringLiteral: String(decoding: safe, as: UTF8.self))
    }

    /// In the order of the script's `fields`.
    private func row(_ machine: SurveyedMachine, _ states: [SurveyedMachine.State]) -> JSONValue {
        let status = machine.status
        let host = status.map { excerpt(of: $0.host) } ?? ""
        let label = excerpt(of: machine.label)
        let groups = survey.wanted.groups(of: machine.entry.machine)
        return [
            .string(machine.entry.machine.description), .string(label),
            .string(host == label ? "" : host),
            JSONValue(states.firstIndex(of: machine.state) ?? 0),
            JSONValue(serial: machine.issued),
            .string(status.map { excerpt(of: $0.version) } ?? ""),
            .string(status?.facts?.shown ?? ""),
            .string(status.map { excerpt(of: $0.kernel) } ?? ""),
            JSONValue(status?.accounts.count ?? 0), .integer(status?.pending ?? 0),
            .integer(status?.refused ?? 0),
            .string(groups.sorted().joined(separator: ", ")),
            .array(machine.attention.map { [.string($0.name), .string($0.words.english)] }),
        ]
    }
}

extension MachineStatus.Facts {
    /// The system, and what is to be done about the machine.
    fileprivate var shown: String {
        let parts = [
            excerpt(of: system), isEncrypted == false ? "disk not encrypted" : "",
            needsRestart ? "restart required" : "",
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: ", ")
    }
}
