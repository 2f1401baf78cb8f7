import Glibc
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem
import MAMTree
import MAMVault
import MAMWorkspace
import Synchronization
import TestSupport
import Testing
import WorkspaceSupport

private let root = InodeTable.rootNode

/// What a listing tells the kernel of files whose header nobody has read yet.
@Suite struct ListedTests {
    private let it: TestWorkspace

    init() throws { it = try TestWorkspace() }

    /// `ahead`: as on a disk.
    private func list(ahead: Bool = true, in it: TestWorkspace? = nil) throws -> [String: Entry] {
        let it = it ?? self.it
        let (stream, parent) = (
            try Lookup(it.tree).openDirectory(root, for: it.caller), try it.tree.table.inode(root)
        )
        var found: [String: Entry] = [:]
        try stream.read(from: 0) { item in
            let lookup = Lookup(it.tree)
            found[String(cString: item.name)] =
                switch ahead ? lookup.lookAhead(item, in: parent) : nil {
                case .found(let entry): entry
                case .opened(let opened): try? lookup.lookUp(item, in: parent, opened)
                case nil: try? lookup.lookUp(item, in: parent)
                }
            return true
        }
        return found
    }

    private func note(_ name: String) throws {
        let value: [UInt8] = [UInt8(ascii: "1")]
        try value.withUnsafeBytes { value in
            try setExtendedAttribute(it.places.path(name), SealedNote.name.cString, to: value)
        }
    }

    private func open(_ inode: Inode, _ flags: Int32 = O_RDWR) throws {
        Handles(it.tree).release(
            try Handles(it.tree).open(inode.node, flags: flags, for: it.caller))
    }

    @Test(arguments: [false, true])
    func `a sealed file has its size, and its header when it is asked for`(ahead: Bool) throws {
        for size in [0, 3040, 3041, 5000, 70_000] { try it.makeFile("\(size)", pattern(size)) }
        for (name, entry) in try list(ahead: ahead) where Int(name) != nil {
            #expect(entry.attributes.st_size == Int(name), "\(name)")
            #expect(entry.inode.isUnread && !entry.inode.isRead && entry.inode.header == nil)
            #expect(try Lookup(it.tree).lookUp(name, in: root).inode === entry.inode)
            #expect(!entry.inode.isUnread && entry.inode.header?.isManaged == true)
        }
        #expect(try it.content("70000") == pattern(70_000))
    }

    @Test(arguments: [false, true])
    func `other files show what their header says`(ahead: Bool) throws {
        try it.makeFile("plain", of: "", pattern(5000))
        try it.makeFile("unnoted", pattern(5000))
        try it.unnote("unnoted")
        try it.places.put(pattern(4000), at: "foreign")
        // No sealed file has these sizes.
        for (name, size) in [("short", 7), ("odd", 8192 + 4090), ("empty", 0)] {
            try it.places.put(pattern(size), at: name)
            try note(name)
        }
        let found = try list(ahead: ahead)
        let sizes = [
            "plain": 5000, "unnoted": 5000, "foreign": 4000, "short": 7, "odd": 12_282, "empty": 0,
        ]
        for (name, size) in sizes {
            #expect(found[name]?.attributes.st_size == size, "\(name)")
            #expect(found[name]?.inode.isRead == true, "\(name)")
        }
    }

    @Test func `a file whose note is wrong is another one once it is opened`() throws {
        for name in ["opened", "looked up", "asked"] {
            try it.makeFile(name, of: "", pattern(5000))
            try note(name)
        }
        let listed = try list().mapValues(\.inode)
        for name in ["opened", "looked up", "asked"] {
            let inode = try #require(listed[name])
            #expect(inode.isUnread)
            switch name {
            case "opened": #expect(throws: Errno.staleHandle) { try open(inode) }
            case "asked": #expect(throws: Errno.staleHandle) { try Lookup(it.tree).read(inode) }
            default: break
            }
            let entry = try Lookup(it.tree).lookUp(name, in: root)
            #expect(entry.inode !== inode && entry.attributes.st_size == 5000)
            #expect(inode.isReplaced)
            #expect(throws: Errno.staleHandle) {
                try Lookup(it.tree).attributes(of: inode.node, throughHandle: false, for: it.caller)
            }
            #expect(throws: Errno.staleHandle) { try open(inode, O_WRONLY | O_TRUNC) }
            #expect(try it.content(name) == pattern(5000))
        }
    }

    @Test func `a look-up beside a listing has read the header`() throws {
        try it.makeFile("file", pattern(5000))
        let isOver = Atomic<Bool>(false)
        let ended = Semaphore()
        let it = it
        let parent = try it.tree.table.inode(root)
        try startThread(named: "lister") {
            while !isOver.load(ordering: .relaxed) {
                let stream = try? Lookup(it.tree).openDirectory(root, for: it.caller)
                try? stream?.read(from: 0) { item in
                    let entry = try? Lookup(it.tree).lookUp(item, in: parent)
                    if let entry { it.tree.forget(entry.inode.node, count: 1) }
                    return true
                }
            }
            ended.signal()
        }
        var unread = 0
        for _ in 0..<20_000 {
            let inode = try Lookup(it.tree).lookUp("file", in: root).inode
            if inode.isUnread { unread += 1 }
            it.tree.forget(inode.node, count: 1)
        }
        isOver.store(true, ordering: .relaxed)
        #expect(ended.wait(until: .patient))
        #expect(unread == 0)
    }

    @Test func `a damaged file stays the one that was listed`() throws {
        try it.makeFile("file", pattern(5000))
        let file = try openFile(it.places.path("file"), O_RDWR)
        let bytes: [UInt8] = [255, 255, 255]
        try bytes.withUnsafeBytes { try writeFully(file.raw, from: $0, at: 20) }
        let inode = try #require(try list()["file"]?.inode)
        for _ in 0..<2 { #expect(throws: Errno.badMessage) { try open(inode) } }
        let entry = try Lookup(it.tree).lookUp("file", in: root)
        #expect(entry.inode === inode && !inode.isReplaced && inode.isRead)
        #expect(entry.attributes.st_size == 5000)
        try open(inode, O_RDWR | O_TRUNC)
        #expect(try Lookup(it.tree).entry(inode).attributes.st_size == 0)
        #expect(try it.content("file") == [])
    }

    @Test(arguments: [false, true])
    func `a refused file that becomes plain is another one`(isLookedUp: Bool) throws {
        try it.places.put(pattern(5000), at: "file")
        try note("file")
        let inode = try #require(try list()["file"]?.inode)
        #expect(throws: Errno.badMessage) { try open(inode) }
        try it.unnote("file")
        if !isLookedUp { #expect(throws: Errno.staleHandle) { try open(inode) } }
        let entry = try Lookup(it.tree).lookUp("file", in: root)
        #expect(entry.inode !== inode && inode.isReplaced)
        #expect(entry.attributes.st_size == 5000)
        try open(entry.inode, O_RDWR)
    }

    @Test func `a file that cannot be read is not taken for a plain one`() throws {
        try it.makeFile("file", pattern(5000))
        let inode = try #require(try list()["file"]?.inode)
        let file = try duplicate(inode.handle.raw)
        // Reads of a directory fail.
        try redirect(inode.handle, to: openFile("/", O_RDONLY | O_DIRECTORY))
        #expect(throws: Errno.isDirectory) { try open(inode) }
        #expect(throws: Errno.isDirectory) { try Lookup(it.tree).lookUp("file", in: root) }
        #expect(inode.isUnread && !inode.isRead)
        try redirect(inode.handle, to: file)
        try open(inode)
    }

    @Test func `a lock refuses it, and a wipe finds it`() throws {
        try it.makeFile("file", pattern(5000))
        let inode = try #require(try list()["file"]?.inode)
        Lock(it.tree).lock(it.ann, now: true)
        #expect(throws: Errno.noKey) { try open(inode) }
        #expect(try list()["file"]?.cacheSeconds == 0)
        try it.makeFile("second", of: "bob@contoso.com", pattern(5))
        let bobs = try #require(try list()["second"]?.inode)
        #expect(bobs.isUnread)
        _ = try Wipe(it.tree).wipe(it.bob, because: TestVault.reason)
        #expect(!it.places.exists("second") && it.places.exists("file"))
    }

    @Test func `after a crash each header is read`() throws {
        try it.makeFile("file", pattern(5000))
        it.tree.vault.openFiles.uncertainEnds.beginWithAll()
        for ahead in [false, true] {
            let inode = try #require(try list(ahead: ahead)["file"]?.inode)
            #expect(inode.header?.isManaged == true)
            it.tree.forget(inode.node, count: 1)
        }
    }

    @Test func `the more of a directory are opened, the more are read ahead`() {
        let listed = ListedFiles()
        listed.add(Array(0..<100), of: 7, isFirst: true)
        listed.add(Array(100..<200), of: 7, isFirst: false)
        #expect(listed.next(after: 0, in: 8).isEmpty)
        #expect(listed.next(after: 0, in: 7) == [1, 2, 3, 4])
        #expect(listed.next(after: 1, in: 7) == Array(5..<13))
        // The next but two, and one that is elsewhere.
        #expect(listed.next(after: 15, in: 7) == Array(16..<32))
        #expect(listed.next(after: 190, in: 7) == Array(32..<64))
        #expect((0..<4).map { listed.next(after: $0, in: 7).count } == [64, 64, 8, 0])
    }

    @Test func `few directories are known, and of each the files that were listed last`() {
        let listed = ListedFiles()
        listed.add([1, 2, 3, 4, 5], of: 7, isFirst: true)
        #expect(listed.next(after: 1, in: 7) == [2, 3, 4, 5])
        listed.add([6], of: 7, isFirst: false)
        #expect(listed.next(after: 2, in: 7) == [6])
        listed.add([3, 4], of: 7, isFirst: true)
        #expect(listed.next(after: 1, in: 7) == [3, 4])
        for directory in 10..<18 { listed.add([1], of: UInt64(directory), isFirst: true) }
        listed.add([9], of: 7, isFirst: false)
        #expect(listed.next(after: 1, in: 7) == [9])
        listed.add(Array(0..<5000), of: 7, isFirst: true)
        listed.add([1], of: 7, isFirst: false)
        var last: UInt64?
        for _ in 0..<200 { last = listed.next(after: 9999, in: 7).last ?? last }
        #expect(last == 4095)
    }
}
