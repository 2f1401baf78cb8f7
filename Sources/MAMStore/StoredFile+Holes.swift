// Where data and holes are, in plain offsets.

internal import MAMFormat
package import MAMSystem

extension StoredFile {
    /// As lseek(2) with `SEEK_DATA` or `SEEK_HOLE`: at `offset` or after it; the end of the file is
    /// a hole.
    package func find(_ region: Region, from offset: Int64) throws(StoreError) -> Int64 {
        try lock.shared { () throws(StoreError) in try findUnlocked(region, from: offset) }
    }

    /// The caller holds the lock, in either way.
    func findUnlocked(_ region: Region, from offset: Int64) throws(StoreError) -> Int64 {
        switch content {
        case .plain(let plain): try plain.find(region, from: offset)
        case .sealed(let sealed):
            try traffic.readingAll { () throws(StoreError) in
                try HoleSearch(content: sealed).find(region, from: offset)
            }
        }
    }
}

extension PlainContent {
    func find(_ region: Region, from offset: Int64) throws(StoreError) -> Int64 {
        let end = try size()
        guard 0..<end ~= offset else { throw .system(.noSuchAddress) }
        let found = try system { () throws(Errno) in
            try MAMSystem.find(region, in: descriptor.raw, from: offset + base)
        }
        return min(found - base, end)
    }
}
