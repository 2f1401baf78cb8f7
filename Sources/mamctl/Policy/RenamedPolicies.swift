// Policy documents say by name which workspaces they cover.

internal import Glibc
internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMPlaces
internal import MAMPolicy
internal import MAMSystem
internal import MAMWire

/// Refuses a rename that would change which policies are in force.
func refusePolicies(
    naming old: WorkspaceName, or new: WorkspaceName
) throws(Failure) {
    let names = Set([old, new].map { $0.description.lowercased() })
    for (label, content) in documents(of: old) {
        guard let json = try? JSONValue(parsing: documentText(content)),
            let name = bundleNames(in: json).first(where: { names.contains($0.lowercased()) })
        else { continue }
        throw Failure(
            .refused,
            "\(label) covers the workspace '\(name)' by its name: after the rename other policies"
                + " would be in force",
            next: "have it name the id of mamctl status --json as bundleId")
    }
}

private func documents(of name: WorkspaceName) -> [(label: Message, content: [UInt8])] {
    let places = Places.current
    let own = [
        "\(places.configuration(of: name))/policies", "\(places.state(of: name))/policies",
    ].flatMap { directory in
        ((try? entries(of: ByteString(directory))) ?? []).compactMap { file in
            let path = ByteString(directory).appending(file)
            return (try? readSmallFile(path.cString, maximumByteCount: 1 << 24))
                .map { (label: Message.verbatim(path.shown), content: $0) }
        }
    }
    return own + signedDocuments(in: places.state(of: name))
}

private func signedDocuments(in state: String) -> [(label: Message, content: [UInt8])] {
    guard
        let bytes = try? readSmallFile(
            "\(state)/fleet/standing.json", maximumByteCount: 1 << 28),
        let json = try? JSONValue(parsing: bytes), let standing = try? MachineStanding(json)
    else { return [] }
    return standing.documents.values.map {
        (label: "the organisation's document \($0.statement)", content: $0.content)
    }
}

private func bundleNames(in value: JSONValue) -> [String] {
    if let members = value.object {
        return members.flatMap { key, value in
            key == "bundleId" ? [value.text].compactMap(\.self) : bundleNames(in: value)
        }
    }
    return value.array?.flatMap(bundleNames) ?? []
}
