// Making a file the same as another that is in use, until it takes that one's place.

package import MAMFormat
package import MAMSystem

/// The copying of one file; there is one copy at a time.
package struct FileCopying {
    let file: StoredFile

    /// So much is copied at a time, while who changes the file waits; who reads it does not.
    package static let stepByteCount = 1 << 18
    /// So much a change may have the copy follow at once: the kernel's largest write.
    private static let followedByteCount: Int64 = 1 << 20

    /// From now on `copy`, an empty file, is to become the same. Until then changes are made one at
    /// a time.
    package func begin(_ copy: StoredFile, sealer: any HeaderSealer) {
        file.lock.exclusive { file.following = Following(copy, sealer) }
    }

    package func stop() { file.lock.exclusive { file.following = nil } }

    /// Copies a step; returns how much that was. 0: the copy is the same as the file now, and stays
    /// it, or there is none any more. `buffer` is the caller's, and has plain content in it
    /// afterwards.
    package func step(
        through buffer: UnsafeMutableRawBufferPointer
    ) throws(StoreError) -> Int {
        try file.lock.shared { () throws(StoreError) in
            guard let following = file.following else { return 0 }
            if let failure = following.failure { throw .system(failure) }
            guard !following.isComplete else { return 0 }
            guard let start = try nextData(from: following.end) else {
                try complete(following)
                return 0
            }
            try following.clear(to: start)
            following.end = start
            return try copyData(through: buffer, to: following)
        }
    }

    private func complete(_ following: Following) throws(StoreError) {
        let size = try file.content.size()
        try following.clear(to: size)
        try following.takeSize(size)
        following.end = .max
    }

    private func copyData(
        through buffer: UnsafeMutableRawBufferPointer, to following: Following
    ) throws(StoreError) -> Int {
        let start = following.end
        let end = try file.findUnlocked(.hole, from: start)
        let room = UnsafeMutableRawBufferPointer(
            rebasing: buffer[..<Int(min(Int64(buffer.count), max(0, end - start)))])
        let count = try file.readUnlocked(into: room, at: start)
        try following.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: start)
        following.end += Int64(count)
        return count
    }

    /// Holes are not copied: a sparse file may be larger than the disk. Nil behind the last data.
    private func nextData(from offset: Int64) throws(StoreError) -> Int64? {
        do throws(StoreError) { return try file.findUnlocked(.data, from: offset) } catch {
            guard error == .system(.noSuchAddress) else { throw error }
            return nil
        }
    }

    /// From now on this is its copy, which its caller does not use any more. Nobody reads or writes
    /// meanwhile.
    ///
    /// Both are given the header. `putInPlace` gives the copy the file's name, and returns the
    /// directory that has it, to be synced. When one of them throws all stays as it is. False, with
    /// nothing done, if the copy is not the same by now, or whoever uses the file does not let go
    /// of it by the deadline.
    package func finish<Failure: Error>(
        by deadline: Deadline, check: (FileHeader?) throws(Failure) -> Void,
        _ putInPlace: (FileHeader?) throws(Failure) -> Descriptor
    ) throws(Failure) -> Bool {
        let result = file.lock.exclusive(until: deadline) { () -> Result<Bool, Failure> in
            do throws(Failure) {
                try check(file.headerUnlocked)
                guard let following = file.following, following.isSafe else {
                    return .success(false)
                }
                file.place = try putInPlace(file.headerUnlocked)
                file.content = following.copy.surrender(to: file)
                file.following = nil
                file.refreshSize()
                return .success(true)
            } catch { return .failure(error) }
        }
        return try result?.get() ?? false
    }

    /// Makes the name durable that the file got as a copy, if it may not be so yet. Until then a
    /// crash may bring back the file of before, which lacks what was synced since.
    package func synchronizePlace() throws(Errno) {
        guard let place = file.lock.shared({ file.place }) else { return }
        try MAMSystem.synchronize(place.raw)
        file.lock.exclusive { if file.place === place { file.place = nil } }
    }
}

// MARK: Changes meanwhile

extension FileCopying {
    /// Has the copy follow a change, also one that failed in the middle. The caller holds the lock
    /// alone.
    ///
    /// What is too much, or fails, is copied again from there by who copies, and fails there.
    /// `bytes`: what stands there now; nil if it has to be read.
    func follow(from start: Int64, count: Int?, _ bytes: UnsafeRawBufferPointer?) {
        guard let following = file.following, start < following.end else { return }
        do throws(StoreError) {
            let size = try file.content.size()
            let sum = start.addingReportingOverflow(count.map { Int64($0) } ?? .max)
            let end = min(sum.overflow ? .max : sum.partialValue, following.end, size)
            guard end - start <= Self.followedByteCount else {
                following.end = start
                return
            }
            if following.copy.size > size {
                try following.takeSize(size)
            }
            if start < end { try copyPlain(start..<end, bytes, to: following) }
            if following.isComplete {
                try following.takeSize(size)
            } else {
                following.end = min(following.end, size)
            }
        } catch { following.end = min(following.end, start) }
    }

    private func copyPlain(
        _ range: Range<Int64>, _ bytes: UnsafeRawBufferPointer?, to following: Following
    ) throws(StoreError) {
        if let bytes {
            return try following.write(
                UnsafeRawBufferPointer(rebasing: bytes[..<min(bytes.count, range.count)]),
                at: range.lowerBound)
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: range.count, alignment: 4096)
        defer {
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            buffer.deallocate()
        }
        let count = try file.readUnlocked(into: buffer, at: range.lowerBound)
        try following.write(
            UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: range.lowerBound)
    }
}

extension StoredFile {
    package var copying: FileCopying { FileCopying(file: self) }

    /// Gives its content away. Who still has this file, and wants to take its key, takes the
    /// heir's, under the heir's lock.
    fileprivate func surrender(to heir: StoredFile) -> Content {
        lock.exclusive {
            defer { content = .plain(PlainContent(descriptor: descriptorUnlocked, header: nil)) }
            self.heir = heir
            return content
        }
    }
}

extension StoredFile.Content {
    /// Of plain content.
    func size() throws(StoreError) -> Int64 {
        switch self {
        case .plain(let plain): try plain.size()
        case .sealed(let sealed): sealed.extent.plainSize
        }
    }
}
