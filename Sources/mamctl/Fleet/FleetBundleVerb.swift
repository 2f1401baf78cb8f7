// `fleet bundle`: the bundles as files, for a web server, a share or a stick.

internal import Glibc
internal import MAMCommandLine
internal import MAMEngine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

func writeBundles(_ invocation: Invocation) throws -> ExitStatus {
    let output = OrganizationDirectory(try invocation.output())
    var heldBack: [OrganizationDirectory.Failure] = []
    let bundles = try organization(of: invocation).bundles(
        at: Int64(currentTime()), tell: { printError($0) }, holdBack: { heldBack.append($0) })
    var texts: [BundlePlace: [UInt8]] = [:]
    for (place, bundle) in bundles {
        do throws(Refusal) { texts[place] = try bundle.encoded() } catch {
            throw Failure(output.whole(place.path), error)
        }
    }
    // The time last: it must not name what is not there yet.
    var written: [String] = []
    for (place, text) in texts.sorted(by: {
        ($0.key.rank, $0.key.path) < ($1.key.rank, $1.key.path)
    })
    where try output.update(place.path, text) { written.append(place.path) }
    let removed = try removeOthers(than: Set(texts.keys.map(\.path)), in: output)
    if invocation.isJSON {
        printJSON([
            "bundles": JSONValue(texts.count), "written": JSONValue(texts: written),
            "removed": JSONValue(texts: removed),
        ])
    } else {
        for path in written { printOut(verbatim: output.whole(path).shown) }
        for path in removed { printOut("removed \(output.whole(path).shown)") }
        printError(
            "\(written.count) of \(texts.count.counted("bundle")) written, \(removed.count) removed"
        )
    }
    for failure in heldBack { Failure(failure).notWritten.report(isJSON: false) }
    return heldBack.isEmpty ? .success : .refused
}

extension Failure {
    /// All the rest was written.
    fileprivate var notWritten: Failure { Failure(status, "not written: \(message)", next: next) }
}

/// Those of machines that were revoked, and of groups without documents. Other files stay.
private func removeOthers(
    than kept: Set<String>, in output: OrganizationDirectory
) throws -> [String] {
    var removed: [String] = []
    for path in try output.files(below: "g") + output.files(below: "m")
    where !kept.contains(path) && isBundle(path) {
        try output.remove(path)
        removed.append(path)
    }
    return removed
}

private func isBundle(_ path: String) -> Bool {
    let name = path.dropFirst(2).dropLast(".json".count)
    return path.hasPrefix("g/") ? isName(name) : Bytes16(hex: String(name)) != nil
}
