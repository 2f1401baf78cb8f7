// Which program opens a file of a workspace.

internal import MAMCommandLine
internal import MAMDesktop
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// The programs of the desktop, by the types of files that they open.
struct ProgramFinder {
    private let types: MediaTypes
    /// That are not contained.
    private let programs: [DesktopEntry]
    private let launchers: [Launcher]
    private let defaults: DefaultPrograms

    init(_ places: DesktopPlaces) {
        types = MediaTypes(in: places)
        let entries = DesktopEntries(in: places)
        programs = entries.ordinaryPrograms.filter { $0.commandLine != nil }
        launchers = entries.programs.filter { $0.commandLine != nil }.compactMap(Launcher.init)
        defaults = DefaultPrograms(in: places)
    }

    /// By the name first: this process may be kept from reading the file.
    func type(of file: WorkspaceFile) throws(Failure) -> ByteString {
        if file.isDirectory { return ByteString("inode/directory") }
        if let type = types.type(ofFileNamed: file.path.lastComponent) { return type }
        let words = ["xdg-mime", "query", "filetype"].map { ByteString($0) }
        let answer = output(of: words + [file.path])?.split(separator: UInt8(ascii: "\n")).first
        guard let answer, isType(answer) else {
            throw Failure(
                .notFound, "no type is known for \(file.path.shown)",
                next: "mamctl run --contained -- PROGRAM \(file.path.asArgument)")
        }
        return ByteString(Array(answer))
    }

    /// Not a sentence about why there is none.
    private func isType(_ text: ArraySlice<UInt8>) -> Bool {
        text.count { $0 == UInt8(ascii: "/") } == 1 && !text.contains(UInt8(ascii: " "))
    }

    /// A launcher for whom the file is, else the desktop's default program.
    func program(
        for type: ByteString, _ owner: Launcher.Owner
    ) throws(Failure) -> DesktopEntry {
        let kinds = types.kinds(of: type)
        let own = launchers.filter { $0.serves(owner) }.map(\.entry)
        for candidates in [own, programs] {
            for kind in kinds {
                if let found = first(of: candidates, for: kind) { return found }
            }
        }
        throw Failure(
            .notFound, "no program opens files of the type \(type.shown)",
            next: "mamctl run --contained -- PROGRAM FILE")
    }

    /// The first choice of the user, contained or not, else of those that say they open it.
    private func first(of candidates: [DesktopEntry], for type: ByteString) -> DesktopEntry? {
        let chosen = defaults.ids(for: type).lazy
            .compactMap { id in candidates.first { $0.id == id || Launcher($0)?.app == id } }.first
        return chosen ?? candidates.first { $0.types.contains(type) }
    }
}
