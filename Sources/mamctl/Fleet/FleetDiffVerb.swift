// `fleet diff`: which machines lack which documents.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

func showFleetDifferences(_ invocation: Invocation) throws -> ExitStatus {
    let survey = try FleetDirectory(of: invocation).survey(invocation)
    let included = try survey.machines(of: invocation)
    let ids = included.map { Set($0.map { survey.machines[$0].entry.machine }) }
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
    if unknown > 0, included == nil {
        printOut("\(unknown.counted("machine")) told nothing that counts: mamctl fleet status")
    }
    if found.isEmpty { printOut("every machine that has reported has what it should have") }
    return .success
}

private let namedCount = 5

extension Difference {
    /// Which document, and what these machines have of it.
    fileprivate func start(of count: Int) -> Message {
        let number = count.grouped
        let slot = excerpt(of: slot)
        let its: Message = found.map { "\(slot) serial \($0)" } ?? "\(slot)"
        return switch kind {
        case .missing:
            lack(wanted.map { "\(slot) serial \($0)" } ?? "\(slot)", count)
        case .behind:
            wanted.map { have("\(its), not \($0)", count) } ?? have("\(its), an older one", count)
        case .ahead: have("\(its), newer than here", count)
        case .unknown: have("\(its), which is not here", count)
        case .foreign:
            Message(
                count, one: "\(number) machine keeps \(its), of a group of others",
                many: "\(number) machines keep \(its), of a group of others")
        }
    }

    private func have(_ what: Message, _ count: Int) -> Message {
        let number = count.grouped
        return Message(
            count, one: "\(number) machine has \(what)", many: "\(number) machines have \(what)")
    }

    private func lack(_ what: Message, _ count: Int) -> Message {
        let number = count.grouped
        return Message(
            count, one: "\(number) machine lacks \(what)",
            many: "\(number) machines lack \(what)")
    }
}

extension Survey {
    fileprivate func words(of difference: SharedDifference) -> Message {
        let count = difference.machines.count
        let start = difference.shared.start(of: count)
        let what: Message =
            difference.shared.isOpen ? "\(start), which was signed after the last report" : start
        let names = difference.machines.prefix(namedCount).map { excerpt(of: machines[$0].label) }
            .joined(separator: ", ")
        let list: Message =
            count > namedCount ? "\(names) and \((count - namedCount).grouped) more" : "\(names)"
        return "\(what)\n  \(list)"
    }

    fileprivate func json(of difference: SharedDifference) -> JSONValue {
        let ids = difference.machines.map { machines[$0].entry.machine.description }
        return difference.shared.json.merging(["machines": JSONValue(texts: ids)])
    }
}
