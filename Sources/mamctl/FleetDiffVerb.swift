// `fleet diff`: which machines lack which documents.

internal import MAMCarrier
internal import MAMFleet
internal import MAMModel
internal import MAMSurvey
internal import MAMSystem
internal import MAMWire

func showFleetDifferences(_ invocation: Invocation) throws -> ExitStatus {
    let survey = try FleetDirectory(of: invocation).survey(invocation)
    let name = try invocation.arguments.text("machine")
    let meant = try name.map { name throws(Failure) in Set(try survey.machines(named: name)) }
    let ids = meant.map { Set($0.map { survey.machines[$0].entry.machine }) }
    let found = survey.differences {
        !$0.isRevoked && ids?.contains($0.entry.machine) ?? true
    }
    if invocation.isJSON {
        printJSON(.array(found.map { survey.json(of: $0) }))
        return .success
    }
    for sentence in survey.flaws { printOut(sentence) }
    for difference in found { printOut(survey.words(of: difference)) }
    let unknown = survey.machines.count { $0.status == nil && !$0.isRevoked }
    if unknown > 0, meant == nil {
        printOut("\(unknown.counted("machine")) told nothing that counts: mamctl fleet status")
    }
    if found.isEmpty { printOut("every machine that has reported has what it should have") }
    return .success
}

private let mostNamed = 5

extension Survey {
    fileprivate func words(of difference: SharedDifference) -> String {
        let count = difference.machines.count
        let is1 = count == 1
        let slot = told(difference.slot)
        let wanted = difference.wanted.map { " serial \($0)" } ?? ""
        let serial = difference.found.map { " serial \($0)" } ?? ""
        let what =
            switch difference.kind {
            case .missing: "\(is1 ? "lacks" : "lack") \(slot)\(wanted)"
            case .behind:
                "\(is1 ? "has" : "have") \(slot)\(serial)"
                    + (difference.wanted.map { ", not \($0)" } ?? ", an older one")
            case .ahead: "\(is1 ? "has" : "have") \(slot)\(serial), newer than here"
            case .unknown: "\(is1 ? "has" : "have") \(slot)\(serial), which is not here"
            case .foreign:
                "\(is1 ? "keeps" : "keep") \(slot)\(serial), of a group of others"
            }
        let since = difference.isOpen ? ", which was signed after the last report" : ""
        let names = difference.machines.prefix(mostNamed).map { told(machines[$0].label) }
        let rest = count > mostNamed ? " and \((count - mostNamed).grouped) more" : ""
        return """
            \(count.counted("machine")) \(what)\(since)
              \(names.joined(separator: ", "))\(rest)
            """
    }

    fileprivate func json(of difference: SharedDifference) -> JSONValue {
        [
            "kind": .string(difference.kind.rawValue), "slot": .string(told(difference.slot)),
            "wanted": JSONValue(serial: difference.wanted),
            "found": JSONValue(serial: difference.found),
            "sinceReport": .bool(difference.isOpen),
            "machines": .array(
                difference.machines.map { .string(machines[$0].entry.machine.description) }),
        ]
    }
}
