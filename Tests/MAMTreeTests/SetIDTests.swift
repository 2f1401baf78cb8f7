import Glibc
import MAMModel
import MAMSystem
import MAMTree
import Synchronization
import TestSupport
import Testing

/// What a write takes from a file's mode.
@Suite struct SetIDTests {
    private let handle: Descriptor

    init() throws {
        let file = try TemporaryFile()
        handle = try openFile(file.path, openPathOnly)
    }

    private var mode: mode_t {
        get throws { try status(at: handle.raw, "").st_mode & 0o7777 }
    }

    @Test func `bits that let a program run as another go, the rest stays`() throws {
        for (before, outside, inside) in [
            (0o4755, 0o755, 0o755), (0o2755, 0o755, 0o755), (0o6711, 0o711, 0o711),
            (0o2644, 0o644, 0o2644), (0o6644, 0o644, 0o2644), (0o1700, 0o1700, 0o1700),
        ] as [(mode_t, mode_t, mode_t)] {
            for (isMember, after) in [(false, outside), (true, inside)] {
                try changeMode(handle, to: before)
                #expect(try clearSetIDBits(handle, unless: { _ in isMember }) == (before != after))
                #expect(try mode == after)
            }
        }
    }

    @Test func `a mode that comes meanwhile is not undone`() throws {
        let isOver = Atomic<Bool>(false)
        let ended = Semaphore()
        let handle = handle
        try startThread(named: "writer") {
            while !isOver.load(ordering: .relaxed) {
                _ = try? clearSetIDBits(handle, unless: { _ in false })
            }
            ended.signal()
        }
        var undone = 0
        for _ in 0..<20_000 {
            try changeMode(handle, to: 0o4755)
            try changeMode(handle, to: 0o700)
            // Time for one that has looked before to come.
            for _ in 0..<5 { _ = try mode }
            if try mode != 0o700 { undone += 1 }
        }
        isOver.store(true, ordering: .relaxed)
        #expect(ended.wait(until: .patient))
        #expect(undone == 0)
    }
}
