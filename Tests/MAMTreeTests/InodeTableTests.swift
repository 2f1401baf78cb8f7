import Glibc
import MAMModel
import MAMSystem
import MAMTree
import TestSupport
import Testing
import WorkspaceSupport

/// Which number is which file's, and for how long.
@Suite struct InodeTableTests {
    private let places: TestDirectories
    private let root: Descriptor

    init() throws {
        places = try TestDirectories()
        root = try openFile(places.backing, openPathOnly | O_DIRECTORY)
    }

    private func makeTable(_ handles: FileHandles? = nil) throws -> InodeTable {
        InodeTable(root: root, status: try status(at: root.raw, ""), handles)
    }

    private func find(_ name: String) throws -> FoundFile {
        if !places.exists(name) { try places.put([1], at: name) }
        return try FoundFile(name, in: root, mayBeRead: false)
    }

    @Test func `it is known until each look-up is forgotten`() throws {
        let table = try makeTable()
        let found = try find("file")
        let inode = table.insert(found, nil)
        #expect(table.lookUp(inode.id) === inode)
        table.lookUpAgain(inode)
        table.forget(inode.node, count: 2)
        #expect(try table.inode(inode.node) === inode)
        #expect(table.known(inode.id) === inode && table.count == 2)
        table.forget(inode.node, count: 1)
        #expect(throws: Errno.staleHandle) { try table.inode(inode.node) }
        #expect(table.known(inode.id) == nil && table.lookUp(inode.id) == nil)
        #expect(table.count == 1)
    }

    @Test func `what the kernel forgets too often, or never knew, does no harm`() throws {
        let table = try makeTable()
        let inode = table.insert(try find("file"), nil)
        table.forget(inode.node, count: .max)
        table.forget(inode.node, count: 1)
        table.forget(12_345, count: 1)
        table.forget(InodeTable.rootNode, count: .max)
        #expect(try table.inode(InodeTable.rootNode).isDirectory)
        #expect(table.count == 1)
    }

    @Test func `two names of a file are one inode, and of two threads that find it one is first`()
        throws
    {
        let table = try makeTable()
        let first = table.insert(try find("one"), nil)
        link(places.path("one"), places.path("two"))
        let second = table.insert(try find("two"), nil)
        #expect(first === second)
        table.forget(first.node, count: 1)
        #expect(try table.inode(first.node) === first)
    }

    @Test func `a file that is replaced gets another number, and keeps the first for who has it`()
        throws
    {
        for handles in [nil, FileHandles(of: root)] {
            let table = try makeTable(handles)
            let first = table.insert(try find("file"), nil)
            let losses = table.lossCount
            let isFound = first.withState { state in
                table.replace(first, &state)
                // What an open sees that waited for the state.
                return state.isReplaced && table.known(first.id) != nil
            }
            #expect(!isFound && first.isReplaced)
            #expect(table.lossCount == losses + 1)
            #expect(table.known(first.id) == nil)
            let second = table.insert(try find("file"), nil)
            #expect(second !== first && second.node != first.node)
            #expect(try table.inode(first.node) === first)
            #expect(table.known(first.id) === second)
            // The first one's end takes nothing from the second.
            table.forget(first.node, count: 1)
            #expect(table.known(first.id) === second)
        }
    }

    @Test func `a number that is given once never comes again`() throws {
        let table = try makeTable()
        var numbers: Set<UInt64> = []
        for _ in 0..<50 {
            let inode = table.insert(try find("file"), nil)
            numbers.insert(inode.node)
            table.forget(inode.node, count: 1)
        }
        #expect(numbers.count == 50)
        #expect(try makeTable().insert(find("file"), nil).generation != 1)
    }

    @Test(.enabled(if: mayOpenHandles, "handles of files take CAP_DAC_READ_SEARCH"))
    func `a number that lasts comes again, and to no other file`() throws {
        let handles = FileHandles(of: root)
        let table = try makeTable(handles)
        let first = table.insert(try find("file"), nil)
        let (node, id) = (first.node, first.id)
        table.forget(node, count: 1)
        #expect(table.insert(try find("file"), nil).node == node)
        #expect(try makeTable(handles).insert(find("file"), nil).node == node)
        table.forget(node, count: 1)
        // Until its inode number is another file's.
        for number in 0..<1000 {
            let name = "next\(number)"
            unlink(places.path(number == 0 ? "file" : "next\(number - 1)"))
            let next = table.insert(try find(name), nil)
            #expect(next.node != node)
            if next.id == id { break }
            table.forget(next.node, count: 1)
        }
    }

    @Test func `an inode is found by the file that it is about to be, and by its first one`() throws
    {
        let table = try makeTable()
        let inode = table.insert(try find("old"), nil)
        let new = BackingID(try find("new").status)
        table.add(new, of: inode)
        #expect(table.known(new) === inode && table.known(inode.id) === inode)
        table.remove(inode.id, of: inode)
        #expect(table.known(inode.id) === inode)
        table.remove(new, of: inode)
        #expect(table.known(new) == nil)
    }
}

/// Whether files of the temporary directory can be found by number.
let mayOpenHandles: Bool = {
    guard let directory = try? openFile(temporaryParent, openPathOnly | O_DIRECTORY) else {
        return false
    }
    return FileHandles(of: directory) != nil
}()
