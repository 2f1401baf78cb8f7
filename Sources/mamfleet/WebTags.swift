// The web server's words for the states of files that are kept.

internal import MAMModel
internal import MAMSystem

/// Written after the file: a tag without its file would keep it away for ever.
struct WebTags {
    private static let file = "web-tags.json"
    private let state: StateDirectory

    init(_ state: StateDirectory) { self.state = state }

    func tag(of file: String) -> String? {
        guard let found = (try? state.read(file)) ?? nil, !found.isEmpty else { return nil }
        return state.json(Self.file)?.object?[file]?.text
    }

    func set(_ tag: String, of file: String) throws(Errno) {
        var all = state.json(Self.file)?.object ?? [:]
        all[file] = .string(tag)
        try state.replace(Self.file, with: JSONValue.object(all).encoded())
    }
}
