// Copies a file that is in use, and then swaps the copy in.

package import MAMFormat
package import MAMModel
package import MAMSystem

/// The copying of one file; a file has one copy at a time.
package struct FileCopying {
    let file: StoredFile

    /// The size of a step. Writers wait during a step; readers do not.
    package static let stepByteCount = 1 << 18
    /// The largest change that is mirrored to the copy at once: the kernel's largest write.
    private static let followedByteCount: Int64 = 1 << 20

    /// Starts copying to `copy`, an empty file. Until the copy ends, changes to the file run one at
    /// a time.
    package func begin(_ copy: StoredFile, sealer: any HeaderSealer) {
        file.lock.exclusive { file.following = Following(copy, sealer) }
    }

    package func stop() { file.lock.exclusive { file.following = nil } }

    /// Copies a step and returns its size; 0 if the copy is complete and stays so, or there is no
    /// copy any more. `buffer` is the caller's, and contains plaintext afterwards.
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

    /// Skips holes: a sparse file may be larger than the disk. Nil after the last data.
    private func nextData(from offset: Int64) throws(StoreError) -> Int64? {
        do throws(StoreError) { return try file.findUnlocked(.data, from: offset) } catch {
            guard error == .system(.noSuchAddress) else { throw error }
            return nil
        }
    }

    /// Makes the copy the file's content; the caller must not use the copy afterwards. Excludes
    /// readers and writers.
    ///
    /// Both get the header. `putInPlace` renames the copy to the file's name, and returns the
    /// directory to sync. If either throws, nothing changes. Returns false without effect if the
    /// copy is incomplete, or users of the file do not release its lock by the deadline.
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

    /// Makes the rename of the copy durable, if it may not be yet. Before that, a crash may restore
    /// the old file, which lacks everything synced since.
    package func synchronizePlace() throws(Errno) {
        guard let place = file.lock.shared({ file.place }) else { return }
        try MAMSystem.synchronize(place.raw)
        file.lock.exclusive { if file.place === place { file.place = nil } }
    }
}

// MARK: Concurrent changes

extension FileCopying {
    /// Mirrors a change to the copy, also a failed one. The caller holds the lock exclusively.
    ///
    /// If the change is too large or mirroring fails, the range is copied again, and a persistent
    /// error shows there. `bytes`: the new content; nil if it has to be read.
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

    /// Gives up the content. A thread that still holds this file and wants to revoke its key
    /// revokes the heir's, under the heir's lock.
    fileprivate func surrender(to heir: StoredFile) -> Content {
        lock.exclusive {
            defer { content = .plain(PlainContent(descriptor: descriptorUnlocked, header: nil)) }
            self.heir = heir
            return content
        }
    }
}

extension StoredFile.Content {
    /// The size of plain content.
    func size() throws(StoreError) -> Int64 {
        switch self {
        case .plain(let plain): try plain.size()
        case .sealed(let sealed): sealed.extent.plainSize
        }
    }
}
