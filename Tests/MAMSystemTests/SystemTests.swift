import Glibc
import MAMModel
import MAMSystem
import TestSupport
import Testing

@Suite struct SystemTests {
    @Test(arguments: [0, 1, 9, 10, 99, 100, 12_345] as [Int32])
    func `the path of a descriptor leads to its file`(number: Int32) throws {
        let path = try withProcPath(of: number) { String(cString: $0) }
        #expect(path == "/proc/self/fd/\(number)")
    }

    @Test(arguments: ["../etc/passwd", "/etc/passwd", "link/passwd"])
    func `a path cannot lead out of its directory`(path: String) throws {
        let place = try TemporaryDirectory()
        symlink("/etc", place.path("link"))
        let root = try place.open()
        #expect(throws: Errno.self) { try openBeneath(root.raw, path, O_RDONLY) }
    }

    @Test(arguments: 1...4)
    func `a file is replaced as a whole, or stays as it was`(nth: Int) throws {
        let place = try TemporaryDirectory()
        let directory = try place.open()
        func replace(_ text: String) throws {
            try Array(text.utf8).withUnsafeBytes {
                try replaceFile(in: directory.raw, named: "file", with: $0)
            }
        }
        try replace("old")
        Faults.arm(.any, nth: nth, error: .noSpace)
        let failed = (try? replace("new")) == nil
        Faults.disarm()
        let found = String(
            decoding: try readSmallFile(place.path("file"), maximumByteCount: 10), as: UTF8.self)
        // The fourth call is the directory's sync: the new file is there already.
        #expect(failed)
        #expect(found == (nth < 4 ? "old" : "new"))
        #expect(try readSmallFile(place.path("file"), maximumByteCount: 3).count == 3)
        #expect(throws: Errno.fileTooLarge) {
            try readSmallFile(place.path("file"), maximumByteCount: 2)
        }
    }

    @Test(arguments: 1...8)
    func `of several files each is replaced, or named and as it was`(nth: Int) throws {
        let place = try TemporaryDirectory()
        let names = ["one", "two"]
        let directory = try place.open()
        func replace(_ text: String) -> [String: Errno] {
            replaceFiles(
                in: directory.raw, names.map { (name: $0, content: Array(text.utf8)) })
        }
        #expect(replace("old").isEmpty)
        Faults.arm(.any, nth: nth, error: .noSpace)
        let failed = replace("new")
        Faults.disarm()
        // Three calls for each, then the directory's sync; all fail from that one on.
        for (name, calls) in zip(names, [3, 6]) {
            let found = try readSmallFile(place.path(name), maximumByteCount: 10)
            #expect(String(decoding: found, as: UTF8.self) == (nth > calls ? "new" : "old"))
        }
        #expect(failed.count == (nth > 7 ? 0 : 2))
    }

    @Test func `this process is alive, and has a parent`() throws {
        let own = try #require(ProcessStatus(of: getpid()))
        #expect(own.parent == getppid())
        #expect(own.life.startTime > 0)
        #expect(ProcessStatus(of: 0) == nil)
        #expect(ProcessStatus(of: Int32.max) == nil)
        #expect(processID(ofThread: getpid()) == getpid())
    }

    @Test func `a process has ended when nothing is left of it but its status`() throws {
        let (reader, writer) = try makePipe()
        let child = try spawn(
            ["sh", "-c", "read line; exit 3"].map { ByteString($0) }, files: [reader.raw: 0])
        let before = try #require(ProcessStatus(of: child))
        #expect(!before.isEnding && !before.hasEnded)
        #expect(write(writer.raw, "\n", 1) == 1)
        while ProcessStatus(of: child)?.hasEnded == false { usleep(1000) }
        #expect(ProcessStatus(of: child)?.isEnding == true)
        #expect(try wait(for: child) == .exited(3))
        #expect(ProcessStatus(of: child) == nil)
    }

    /// A descriptor without access stands for a file system without locks.
    @Test func `a lock that is held is told from one that cannot be taken`() throws {
        let place = try TemporaryDirectory()
        let (one, other) = (try place.open(), try place.open())
        #expect(try takesLock(one))
        #expect(try !takesLock(other, within: 10))
        let handle = try openFile(place.path, openPathOnly)
        #expect(throws: Errno.badDescriptor) { try takesLock(handle) }
    }

    /// Before and after the way through the kept directory is there.
    @Test func `an attribute is the same by path, by descriptor and through /proc`() throws {
        let place = try TemporaryFile()
        let (path, file) = (place.path, place.descriptor)
        try "value".withCString {
            try setExtendedAttribute(path, "user.test", to: .init(start: $0, count: 5))
        }
        let handle = try openFile(path, openPathOnly)
        func all(_ name: String, room: Int) -> [Result<Int, Errno>] {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
            defer { buffer.deallocate() }
            func result(_ call: () throws(Errno) -> Int) -> Result<Int, Errno> {
                do throws(Errno) { return .success(try call()) } catch { return .failure(error) }
            }
            return [
                result { () throws(Errno) in try extendedAttribute(path, name, into: buffer) },
                result { () throws(Errno) in
                    try extendedAttribute(of: file.raw, name, into: buffer)
                },
                result { () throws(Errno) in
                    try withProcPath(of: handle.raw) { path throws(Errno) in
                        try extendedAttribute(procPath: path, name, into: buffer)
                    }
                },
            ]
        }
        for _ in 0..<2 {
            #expect(all("user.test", room: 0).allSatisfy { $0 == .success(5) })
            #expect(all("user.test", room: 9).allSatisfy { $0 == .success(5) })
            #expect(all("user.test", room: 3).allSatisfy { $0 == .failure(.rangeTooSmall) })
            #expect(all("user.none", room: 9).allSatisfy { $0 == .failure(.noData) })
            keepProcDescriptors()
        }
    }

    @Test func `errors read as the C library's`() {
        #expect("\(Errno.noKey)" == "Required key not available")
        #expect(throws: Errno.noEntry) { try openFile("/nonexistent", O_RDONLY) }
    }
}
