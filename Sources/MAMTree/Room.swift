// Room on the store for what the kernel's cache has taken.

internal import Glibc
internal import MAMModel
package import MAMSystem
internal import Synchronization

/// A reserve: files without a name, together twice as large as what the kernel holds of one mount
/// before it has written it.
///
/// With the write-back cache write(2) succeeds before the store is asked. When the store is full,
/// what was taken by then is stored in what the reserve gives back: a whole file each time, because
/// btrfs frees nothing of an extent that is in use in part.
package final class Room: Sendable {
    private struct State {
        var directory: Descriptor?
        var files: [Descriptor] = []
        var fileByteCount: Int64 = 0
        var nextTry = Deadline.now
    }

    private static let fileCount = 32

    private enum Level: UInt8 { case whole, short, low }

    private let state = Mutex(State())
    /// Read at each open for writing and each question of the kernel's; takes no lock.
    private let level = Atomic<UInt8>(Level.whole.rawValue)
    private let hasNews = Atomic<Bool>(false)
    private let direct = Atomic<Bool>(false)

    package init() {}

    /// A part of it was given back, and there is no room to take it again.
    package var isShort: Bool {
        level.load(ordering: .relaxed) != Level.whole.rawValue && !takeAgain()
    }

    /// A part of it was given back. Says nothing about the room that there is now.
    package var isTouched: Bool { level.load(ordering: .relaxed) != Level.whole.rawValue }

    /// What is left may be little more than what the kernel holds.
    package var isLow: Bool {
        level.load(ordering: .relaxed) == Level.low.rawValue && !takeAgain()
    }

    /// True once each time that it becomes low.
    package var hasBecomeLow: Bool {
        hasNews.load(ordering: .relaxed) && hasNews.exchange(false, ordering: .relaxed)
    }

    /// Whether a file may be opened past the kernel's cache, and mapped all the same.
    package var allowsDirectOpens: Bool { direct.load(ordering: .relaxed) }

    package func allowDirectOpens() { direct.store(true, ordering: .relaxed) }

    /// The part of a store that the reserve may take: a smaller store is written at once.
    private static let largestShare: Int64 = 16

    /// Takes the reserve, whole. False if the store has no room for it, is too small for it, or
    /// cannot reserve; true without one if it says nothing about its size.
    package func take(_ count: Int64, in directory: Descriptor) -> Bool {
        guard let space = try? space(of: directory) else { return false }
        if space.size == 0 { return true }
        guard space.size / Self.largestShare >= count, space.free / 2 >= count else {
            return false
        }
        return state.withLock { state in
            state.directory = directory
            state.fileByteCount = (count - 1) / Int64(Self.fileCount) + 1
            return fill(&state)
        }
    }

    /// At least; so that not every write comes back.
    private static let step: Int64 = 1 << 20

    /// Gives back room for a write that the store has refused; false if nothing is left. Another
    /// program may take it first.
    package func give(for count: Int) -> Bool {
        state.withLock { state in
            guard !state.files.isEmpty else { return false }
            let needed = max(Int64(count + count / 8), Self.step)
            let fileCount = (needed - 1) / state.fileByteCount + 1
            state.files.removeLast(min(state.files.count, Int(clamping: fileCount)))
            note(state)
            return true
        }
    }

    private static let millisecondsBetweenTries = 100

    /// True once it is whole. While it is not, room that is free is left to others unless it makes
    /// it whole.
    private func takeAgain() -> Bool {
        state.withLock { state in
            guard let directory = state.directory, state.files.count < Self.fileCount else {
                return true
            }
            guard state.nextTry.hasPassed else { return false }
            state.nextTry = Deadline(milliseconds: Self.millisecondsBetweenTries)
            let missing = Int64(Self.fileCount - state.files.count) * state.fileByteCount
            guard let free = try? space(of: directory).free, free - free / 8 > missing,
                fill(&state)
            else { return false }
            note(state)
            return true
        }
    }

    /// Takes all files that are missing, or none.
    private func fill(_ state: inout State) -> Bool {
        guard let directory = state.directory else { return false }
        var files: [Descriptor] = []
        for _ in state.files.count..<Self.fileCount {
            guard let file = try? makeUnnamedFile(in: directory),
                (try? reserveSpace(
                    file.raw, at: 0, count: state.fileByteCount, keepSize: false)) != nil
            else { return false }
            files.append(file)
        }
        state.files += files
        return true
    }

    private func note(_ state: State) {
        let new: Level =
            switch state.files.count {
            case Self.fileCount: .whole
            case (3 * Self.fileCount / 4)...: .short
            default: .low
            }
        let old = level.exchange(new.rawValue, ordering: .relaxed)
        if new == .low, old != new.rawValue { hasNews.store(true, ordering: .relaxed) }
    }
}

/// In bytes. `free`: without what is kept for root, unless this is root.
private func space(of file: Descriptor) throws(Errno) -> (size: Int64, free: Int64) {
    var space = statvfs()
    _ = try retrying { fstatvfs(file.raw, &space) }
    let blocks = geteuid() == 0 ? space.f_bfree : space.f_bavail
    let unit = Int64(clamping: space.f_frsize)
    return (saturated(space.f_blocks, unit), saturated(blocks, unit))
}

private func saturated(_ blocks: UInt, _ unit: Int64) -> Int64 {
    let (product, overflow) = Int64(clamping: blocks).multipliedReportingOverflow(by: unit)
    return overflow ? .max : product
}

private func makeUnnamedFile(in directory: Descriptor) throws(Errno) -> Descriptor {
    do throws(Errno) {
        return try openFile(at: directory.raw, ".", O_RDWR | openTemporary, mode: 0o600)
    } catch {
        // The file system cannot make one.
        let name = "room"
        let file = try openFile(
            at: directory.raw, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        _ = try retrying { unlinkat(directory.raw, name, 0) }
        return file
    }
}
