// Directories, names and mounts.

import Glibc
import MAMModel
import MAMPlaces
import MAMSystem
import TestSupport
import Testing

@Suite struct PlacesTests {
    static let rows: [(UInt32, [String: String], String, String, String)] = [
        (0, [:], "/etc/mamd/w", "/var/lib/mamd/w", "/run/mamd/w.sock"),
        (0, ["XDG_STATE_HOME": "/s"], "/etc/mamd/w", "/s/mamd/w", "/run/mamd/w.sock"),
        (
            1000, ["HOME": "/home/ann"], "/home/ann/.config/mamd/w",
            "/home/ann/.local/state/mamd/w", "/run/user/1000/mamd/w.sock"
        ),
        (
            1000, ["XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/r"],
            "/c/mamd/w", "/s/mamd/w", "/r/mamd/w.sock"
        ),
        (
            1000, ["HOME": "/h", "XDG_CONFIG_HOME": "relative", "XDG_STATE_HOME": ""],
            "/h/.config/mamd/w", "/h/.local/state/mamd/w", "/run/user/1000/mamd/w.sock"
        ),
    ]

    @Test(arguments: rows)
    func `each user's places follow the table of the design and the XDG variables`(
        uid: UInt32, variables: [String: String], configuration: String, state: String,
        socket: String
    ) throws {
        let name = try #require(WorkspaceName("w"))
        let places = Places(uid: uid) { variables[$0] }
        #expect(places.configuration(of: name) == configuration)
        #expect(places.state(of: name) == state)
        #expect(places.socket(of: name) == socket)
    }

    @Test(arguments: ["a", "A-b_c.9", String(repeating: "x", count: 64)])
    func `a workspace's name is plain`(name: String) {
        #expect(WorkspaceName(name)?.description == name)
    }

    @Test(
        arguments: [
            "", ".", "..", ".a", "-a", "a/b", "a b", "ä", "a\u{0}", "a\n",
            String(repeating: "x", count: 65),
        ])
    func `a name that could leave its directory or look like an option is refused`(name: String) {
        #expect(WorkspaceName(name) == nil)
    }

    @Test func `sockets are found by name, and other files are not`() throws {
        let directory = try TemporaryDirectory()
        let runtime = directory.path
        mkdir(runtime + "/mamd", 0o700)
        for file in ["b.sock", "a.sock", "a.sock.lock", ".sock", "c"] {
            _ = try openFile("\(runtime)/mamd/\(file)", O_WRONLY | O_CREAT, mode: 0o600)
        }
        let places = Places(uid: 1) { $0 == "XDG_RUNTIME_DIR" ? runtime : nil }
        let mine = places.sockets().filter { $0.path.hasPrefix(runtime) }
        #expect(mine.map(\.name.description) == ["a", "b"])
    }

    @Test func `a mount line gives id, point, type and source, unescaped`() throws {
        let text = #"""
            22 1 0:21 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
            36 22 0:44 / /mnt/a\040b\134c rw,nosuid shared:7 master:1 - fuse.mamd work rw,user_id=0
            broken
            37 22 0:45 / /mnt/x rw - fuse.other work rw
            """#
        let table = MountTable(parsing: Array(text.utf8))
        #expect(table.mounts.map(\.id) == [22, 36, 37])
        let mount = try #require(table.mount(at: Array(#"/mnt/a b\c"#.utf8)))
        #expect(mount.workspace == WorkspaceName("work"))
        #expect(table.mount(at: Array("/mnt/x".utf8))?.workspace == nil)
    }

    @Test func `an open file leads to its mount`() throws {
        let file = try openFile("/proc/self/status", O_RDONLY)
        #expect(try MountTable().mount(of: file.raw)?.type == "proc")
    }
}
