// A copy of a file, made while it is in use, and kept the same until it takes the file's place.

package import MAMFormat
package import MAMSystem
internal import Synchronization

/// A copy that follows a file: it has what the file has up to `end`, and gets each change before
/// that, as part of the change. So nothing is left to be copied at the end, however much is written
/// meanwhile.
///
/// Unchecked: the file's lock guards it. Whoever changes the file holds that alone, and who copies
/// holds it shared, which keeps those out; there is one.
final class Following: @unchecked Sendable {
    let copy: StoredFile
    let sealer: any HeaderSealer
    /// Behind it nothing was copied yet. `Int64.max`: everything was.
    var end: Int64 = 0

    init(_ copy: StoredFile, _ sealer: any HeaderSealer) {
        self.copy = copy
        self.sealer = sealer
    }

    var isComplete: Bool { end == .max }
    var isSafe: Bool { isComplete && failure == nil }

    /// A sync of the copy that failed, whoever asked for it: it may have lost what it was given,
    /// and the next sync does not tell.
    var failure: Errno? {
        copy.syncFailures.withLock { $0.count > 0 ? $0.last : nil }
    }
}

extension StoredFile {
    /// So much is copied at a time, while who changes the file waits; who reads it does not.
    package static let copyStepByteCount = 1 << 18
    /// So much a change may have the copy follow at once: the kernel's largest write.
    private static let followedByteCount: Int64 = 1 << 20

    /// From now on this empty file is to become the same. Until then changes are made one at a
    /// time.
    package func beFollowed(by copy: StoredFile, sealer: any HeaderSealer) {
        lock.exclusive { following = Following(copy, sealer) }
    }

    package func stopBeingFollowed() { lock.exclusive { following = nil } }

    /// Copies a step; returns how much that was. 0: the copy is the same as the file now, and stays
    /// it, or there is none any more. `buffer` is the caller's, and has plain content in it
    /// afterwards.
    package func copyStep(
        through buffer: UnsafeMutableRawBufferPointer
    ) throws(StoreError) -> Int {
        try lock.shared { () throws(StoreError) in
            guard let following else { return 0 }
            if let failure = following.failure { throw .system(failure) }
            guard !following.isComplete else { return 0 }
            guard let start = try nextData(from: following.end) else {
                let size = try contentSize()
                try following.copy.clear(from: following.end, to: size, sealer: following.sealer)
                try following.copy.takeSize(size, sealer: following.sealer)
                following.end = .max
                return 0
            }
            try following.copy.clear(from: following.end, to: start, sealer: following.sealer)
            following.end = start
            let end = try findUnlocked(.hole, from: start)
            let room = UnsafeMutableRawBufferPointer(
                rebasing: buffer[..<Int(min(Int64(buffer.count), max(0, end - start)))])
            let count = try readUnlocked(into: room, at: start)
            try following.copy.write(
                UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: following.end,
                sealer: following.sealer)
            following.end += Int64(count)
            return count
        }
    }

    /// Holes are not copied: a sparse file may be larger than the disk. Nil behind the last data.
    private func nextData(from offset: Int64) throws(StoreError) -> Int64? {
        do throws(StoreError) { return try findUnlocked(.data, from: offset) } catch {
            guard error == .system(.noSuchAddress) else { throw error }
            return nil
        }
    }

    /// Where a hole is now the copy may have content: what it was given before a large hole was
    /// made.
    private func clear(
        from start: Int64, to end: Int64, sealer: any HeaderSealer
    ) throws(StoreError) {
        let end = min(end, size)
        if start < end { try zero(start..<end, sealer: sealer) }
    }

    /// Has the copy follow a change, also one that failed in the middle. The caller holds the lock
    /// alone.
    ///
    /// What is too much, or fails, is copied again from there by who copies, and fails there.
    /// `bytes`: what stands there now; nil if it has to be read.
    func follow(from start: Int64, count: Int?, _ bytes: UnsafeRawBufferPointer?) {
        guard let following, start < following.end else { return }
        do throws(StoreError) {
            let size = try contentSize()
            let sum = start.addingReportingOverflow(count.map { Int64($0) } ?? .max)
            let end = min(sum.overflow ? .max : sum.partialValue, following.end, size)
            guard end - start <= Self.followedByteCount else {
                following.end = start
                return
            }
            if following.copy.size > size {
                try following.copy.takeSize(size, sealer: following.sealer)
            }
            if start < end { try copyPlain(start..<end, bytes, to: following) }
            if following.isComplete {
                try following.copy.takeSize(size, sealer: following.sealer)
            } else {
                following.end = min(following.end, size)
            }
        } catch { following.end = min(following.end, start) }
    }

    private func copyPlain(
        _ range: Range<Int64>, _ bytes: UnsafeRawBufferPointer?, to following: Following
    ) throws(StoreError) {
        if let bytes {
            return try following.copy.write(
                UnsafeRawBufferPointer(rebasing: bytes[..<min(bytes.count, range.count)]),
                at: range.lowerBound, sealer: following.sealer)
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: range.count, alignment: 4096)
        defer {
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            buffer.deallocate()
        }
        let count = try readUnlocked(into: buffer, at: range.lowerBound)
        try following.copy.write(
            UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: range.lowerBound,
            sealer: following.sealer)
    }

    private func takeSize(_ size: Int64, sealer: any HeaderSealer) throws(StoreError) {
        if self.size != size { try truncate(to: size, sealer: sealer) }
    }

    /// The caller holds the lock, in either way.
    private func contentSize() throws(StoreError) -> Int64 {
        switch content {
        case .plain(let plain): try plain.size()
        case .sealed(let sealed): sealed.extent.plainSize
        }
    }

    /// From now on this is its copy, which its caller does not use any more. Nobody reads or writes
    /// meanwhile.
    ///
    /// Both are given the header. `putInPlace` gives the copy the file's name, and returns the
    /// directory that has it, to be synced. When one of them throws all stays as it is. False, with
    /// nothing done, if the copy is not the same by now, or whoever uses the file does not let go
    /// of it by the deadline.
    package func becomeCopy<Failure: Error>(
        by deadline: Deadline, check: (FileHeader?) throws(Failure) -> Void,
        _ putInPlace: (FileHeader?) throws(Failure) -> Descriptor
    ) throws(Failure) -> Bool {
        let result = lock.exclusive(until: deadline) { () -> Result<Bool, Failure> in
            do throws(Failure) {
                try check(headerUnlocked)
                guard let following, following.isSafe else { return .success(false) }
                place = try putInPlace(headerUnlocked)
                content = following.copy.surrender(to: self)
                self.following = nil
                refreshSize()
                return .success(true)
            } catch { return .failure(error) }
        }
        return try result?.get() ?? false
    }

    /// Gives its content away. Who still has this file, and wants to take its key, takes the
    /// heir's, under the heir's lock.
    private func surrender(to heir: StoredFile) -> Content {
        lock.exclusive {
            defer { content = .plain(PlainContent(descriptor: descriptorUnlocked, header: nil)) }
            self.heir = heir
            return content
        }
    }

    /// Makes the name durable that the file got as a copy, if it may not be so yet. Until then a
    /// crash may bring back the file of before, which lacks what was synced since.
    package func synchronizePlace() throws(Errno) {
        guard let place = lock.shared({ place }) else { return }
        try MAMSystem.synchronize(place.raw)
        lock.exclusive { if self.place === place { self.place = nil } }
    }
}
