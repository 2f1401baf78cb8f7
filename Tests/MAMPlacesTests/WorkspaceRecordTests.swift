import Glibc
import MAMModel
import MAMPlaces
import MAMSystem
import TestSupport
import Testing

/// Settings of two workspaces, and their backing directories; removed at the end.
private final class Machine {
    private let place: TemporaryDirectory
    var root: String { place.path }
    let places: Places

    init() throws {
        place = try TemporaryDirectory()
        let root = place.path
        places = Places(uid: 1000) { ["XDG_CONFIG_HOME": "\(root)/config", "HOME": root][$0] }
        for name in ["work", "other"] { try add(name) }
        try makeDirectories("\(root)/elsewhere", mode: 0o700)
    }

    private func add(_ name: String) throws {
        try makeDirectories("\(root)/\(name)", mode: 0o700)
        let folder = "\(root)/config/mamd/\(name)"
        try makeDirectories(folder, mode: 0o700)
        let id = Self.id(of: name)
        try write(
            #"{"id": "\#(id)", "backingDirectory": "\#(root)/\#(name)"}"#,
            to: "\(folder)/workspace.json")
    }

    func write(_ text: String, to path: String) throws {
        let file = try openFile(path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
        try Array(text.utf8).span.withUnsafeBytes { try writeFully(file.raw, from: $0, at: 0) }
    }

    static func id(of name: String) -> Bytes16 { Bytes16(high: 7, low: UInt64(name.utf8.count)) }

    func directory(_ name: String) throws -> Descriptor {
        try openFile("\(root)/\(name)", O_RDONLY | O_DIRECTORY)
    }

    /// Nil if it is taken as what it says.
    func refusal(_ name: String, id: Bytes16? = nil, at place: String) throws -> WorkspaceMismatch?
    {
        let name = try #require(WorkspaceName(name))
        let manifest = WorkspaceManifest(name: name, id: id ?? Self.id(of: "\(name)"))
        do throws(WorkspaceMismatch) {
            try places.check(manifest, of: directoryOrTemporary(place))
            return nil
        } catch { return error }
    }

    private func directoryOrTemporary(_ name: String) -> Descriptor {
        if let found = try? directory(name) { return found }
        preconditionFailure("\(name) is not there")
    }
}

@Suite struct WorkspaceRecordTests {
    @Test func `what settings and directory agree about is served`() throws {
        let machine = try Machine()
        #expect(try machine.refusal("work", at: "work") == nil)
        #expect(symlink("\(machine.root)/work", "\(machine.root)/link") == 0)
        #expect(try machine.refusal("work", at: "link") == nil)
    }

    @Test func `a name that leads to no settings is not`() throws {
        let machine = try Machine()
        guard case .otherName(let name) = try machine.refusal("none", at: "work") else {
            Issue.record("taken")
            return
        }
        #expect(name.description == "work")
        guard case .unknown = try machine.refusal("none", at: "elsewhere") else {
            Issue.record("taken")
            return
        }
    }

    @Test func `another workspace's name is not, with either id`() throws {
        let machine = try Machine()
        for id in ["work", "other"] {
            let found = try machine.refusal("other", id: Machine.id(of: id), at: "work")
            guard case .otherName = found else {
                Issue.record("taken: \(String(describing: found))")
                return
            }
        }
    }

    @Test func `another id, and another place, are not`() throws {
        let machine = try Machine()
        guard case .otherID = try machine.refusal("work", id: .zero, at: "work") else {
            Issue.record("taken with another id")
            return
        }
        guard case .otherPlace = try machine.refusal("work", at: "elsewhere") else {
            Issue.record("taken elsewhere")
            return
        }
    }

    @Test func `where the unit's file says is a right place too`() throws {
        let machine = try Machine()
        try machine.write(
            "BACKING=\(machine.root)/elsewhere\n", to: "\(machine.root)/config/mamd/work/mount")
        #expect(try machine.refusal("work", at: "elsewhere") == nil)
        #expect(try machine.refusal("work", at: "work") == nil)
    }
}
