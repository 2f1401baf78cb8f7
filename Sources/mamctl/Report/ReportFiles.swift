// A report's section on files: their owners, classes, and whether they can be read now.

internal import MAMCommandLine
internal import MAMModel
internal import MAMWire

/// The parts of a bar, the strictest class first.
private let layers: [(kind: String, name: String, fileClass: ProtectionClass?)] =
    ProtectionClass.allCases.map {
        ($0.letter.lowercased(), "class \($0.letter)", $0)
    } + [("plain", "not encrypted", nil)]

extension ReportPage {
    private static let shownOwners = 10

    var files: HTML {
        guard !data.sums.isEmpty else {
            return """
                <section><h2>Files</h2><p>There are none yet.</p></section>
                """
        }
        let owners = owners
        let bytes = ReportAxis.ofBytes(upTo: owners.map { sum(of: $0.sums, \.bytes) }.max() ?? 0)
        let counts = ReportAxis(upTo: owners.map { sum(of: $0.sums, \.files) }.max() ?? 0, unit: 1)
        let used = layers.filter { layer in data.sums.contains { $0.class == layer.fileClass } }
        return """
            <section><h2>Whose files these are</h2>
            <p class="soft">Class A files can be read while their account is unlocked; B files too,
            and stay open when it locks; C files from the first unlock on; D files always. Files
            that are not encrypted are a person’s own, or nobody’s.</p>
            \(legend(used.map { ($0.kind, $0.name) }))
            \(barChart("Content by owner", owners.map { bar($0, \.bytes) }, bytes) { $0.asBytes })
            \(barChart("Files by owner", owners.map { bar($0, \.files) }, counts) {
                $0.grouped.english
            })
            \(table)
            \(rest)</section>
            """
    }

    private struct Owner {
        let label: HTML
        let sums: [Varlink.Report.Sum]
    }

    /// The owners with the most bytes, and all others as one.
    private var owners: [Owner] {
        let groups = Dictionary(grouping: data.sums, by: ownerName)
        let sorted = groups.sorted {
            (sum(of: $0.value, \.bytes), $1.key) > (sum(of: $1.value, \.bytes), $0.key)
        }
        let shown = sorted.prefix(Self.shownOwners).map {
            Owner(label: ownerLabel($0.value[0]), sums: $0.value)
        }
        let rest = sorted.dropFirst(Self.shownOwners)
        guard !rest.isEmpty else { return shown }
        return shown + [
            Owner(label: "<em>\(rest.count.grouped.english) more</em>", sums: rest.flatMap(\.value))
        ]
    }

    private func ownerName(_ sum: Varlink.Report.Sum) -> String {
        sum.owner.isEmpty ? sum.ownerObjectID : sum.owner
    }

    private func ownerLabel(_ sum: Varlink.Report.Sum) -> HTML {
        let name = ownerName(sum)
        return name.isEmpty ? "<em>nobody</em>" : "<bdi>\(name)</bdi>"
    }

    private func sum(of sums: [Varlink.Report.Sum], _ member: KeyPath<Varlink.Report.Sum, Int>)
        -> Int
    {
        sums.reduce(0) { $0 + $1[keyPath: member] }
    }

    private func bar(_ owner: Owner, _ member: KeyPath<Varlink.Report.Sum, Int>) -> ReportBar {
        ReportBar(
            label: owner.label,
            parts: layers.map { layer in
                (
                    layer.kind, layer.name,
                    sum(of: owner.sums.filter { $0.class == layer.fileClass }, member)
                )
            })
    }

    private static let shownRows = 200

    private var table: HTML {
        let rows = data.sums.prefix(Self.shownRows).map { sum -> [HTML] in
            [
                ownerLabel(sum), HTML(sum.class?.letter ?? "–"), stateCell(sum.state),
                HTML(sum.files.grouped.english), HTML(sum.bytes.asBytes),
                HTML(sum.storedBytes.asBytes),
            ]
        }
        return htmlTable(
            "The same in numbers",
            [
                "Owner", "Class", "State", .number("Files"), .number("Content"), .number("On disk"),
            ], rows)
    }

    private func stateCell(_ state: ProtectionState) -> HTML {
        switch state {
        case .available: "can be read now"
        case .closed: "locked"
        case .unmanaged: "plain, with an owner"
        case .unsealed: "<span class=\"bad\">plain, of an account</span>"
        case .foreign: "plain, without an owner"
        case .keyMissing: "<span class=\"bad\">key not here</span>"
        case .damaged: "<span class=\"bad\">damaged</span>"
        case .newer, .directory: "\(state.rawValue)"
        }
    }

    private var rest: HTML {
        var parts: [String] = []
        if data.total.others > 0 {
            parts.append("\(data.total.others.grouped.english) links, pipes or other special files")
        }
        if data.total.unreadable > 0 {
            parts.append(
                "\(data.total.unreadable.counted("name").english) that could not be looked at")
        }
        let hidden = max(0, data.sums.count - Self.shownRows)
        if hidden > 0 { parts.append("\(hidden.counted("row").english) that are not shown here") }
        if data.total.uncounted > 0 {
            parts.append("\(data.total.uncounted.counted("file").english) of yet other owners")
        }
        guard !parts.isEmpty else { return "" }
        return "<p class=\"soft\">Besides: \(parts.joined(separator: "; ")).</p>"
    }
}
