// The changes of a push, for people and as JSON.

internal import Glibc
internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

struct ShownPush {
    private let push: PolicyPush
    private let previews: [Slot: ShownPreview]
    /// Nothing is signed, so that what is shown is the output.
    private let isOutput: Bool
    private let settings: [Slot: ShownSettings]
    private let rings: ShownRings

    init(
        _ push: PolicyPush, since signed: [SignedPolicy], _ survey: Survey,
        _ invocation: Invocation, plan: RingPlan? = nil
    ) {
        self.push = push
        isOutput = invocation.arguments.has("dry-run") && !invocation.isJSON
        let isVerbose = invocation.arguments.has("verbose")
        let names = survey.names
        rings = ShownRings(plan: plan, names: names)
        let found = push.previews(since: signed, survey, version: productVersion)
        previews = Dictionary(
            uniqueKeysWithValues: found.map {
                ($0.change.slot, ShownPreview(preview: $0, names: names, isVerbose: isVerbose))
            })
        let asked = push.changes.filter { $0.slot.kind == .settings && $0.isNoticed }
        settings = Dictionary(
            uniqueKeysWithValues: asked.map { ($0.slot, ShownSettings($0, survey)) })
    }

    /// The names of documents that should be asked for twice, and why.
    var doubts: [(name: String, why: Message)] {
        push.changes.compactMap { change in
            (previews[change.slot]?.doubt ?? settings[change.slot]?.doubt).map {
                (change.slot.name, $0)
            }
        }
    }

    func showDoubts() {
        for doubt in doubts { printError("\(doubt.why).") }
    }

    func show() {
        for change in push.changes {
            say("\(sign(of: change.action)) \(change.slot)  \(words(for: change.action))")
            showPreview(of: change.slot)
        }
        say("\(push.unchangedCount) unchanged")
    }

    private func say(_ text: Message) { if isOutput { printOut(text) } else { printError(text) } }

    func showPreview(of slot: Slot) {
        guard let rows = rows(of: slot) else { return }
        let descriptor = isOutput ? STDOUT_FILENO : STDERR_FILENO
        let width = isatty(descriptor) == 1 ? screenWidth(of: descriptor) - 4 : nil
        let lines = table(rows, width: width).split(separator: "\n")
        say(.verbatim(lines.map { "    \($0)" }.joined(separator: "\n")))
    }

    private func rows(of slot: Slot) -> [[Message]]? {
        let change = push.changes.first { $0.slot == slot }
        let ring = change.flatMap {
            rings.row(of: $0, previews[slot]?.preview.machines ?? [])
        }
        let rows = previews[slot]?.rows ?? settings[slot]?.rows
        return ring.map { [$0] + (rows ?? []) } ?? rows
    }

    private func sign(of action: PolicyChange.Action) -> String {
        switch action {
        case .new: "+"
        case .changed, .renewed: "~"
        case .withdrawn: "-"
        case .left: "!"
        }
    }

    private func words(for action: PolicyChange.Action) -> Message {
        switch action {
        case .new: "new"
        case .changed: "changed"
        case .renewed: "signed again: it expires soon, its key was taken away, or a clock was ahead"
        case .withdrawn: "withdrawn"
        case .left: "stays in force, and is not in the directory: --prune withdraws it"
        }
    }

    /// What both `fleet push` and `fleet people` print.
    func json(isSigned: Bool) -> JSONValue {
        [
            "changes": .array(
                push.changes.map { change in
                    [
                        "slot": .string(change.slot.description),
                        "audience": .string(change.slot.audience.description),
                        "name": .string(change.slot.name),
                        "action": .string(change.action.rawValue),
                        "differences": JSONValue(
                            texts: change.action == .changed
                                ? change.differences.map(\.text) : []),
                        "preview": previews[change.slot]?.json ?? settings[change.slot]?.json
                            ?? .null,
                    ]
                }), "unchanged": JSONValue(push.unchangedCount), "signed": .bool(isSigned),
        ]
    }

    func json(isSigned: Bool, published: JSONValue?, error: JSONValue?) -> JSONValue {
        json(isSigned: isSigned).merging([
            "rings": rings.json, "published": published ?? .null, "error": error ?? .null,
        ])
    }
}
