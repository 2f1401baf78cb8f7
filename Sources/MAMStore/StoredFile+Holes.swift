// Data and holes, in plain offsets.

internal import MAMFormat
internal import MAMModel
package import MAMSystem

extension StoredFile {
    /// lseek(2) with `SEEK_DATA` or `SEEK_HOLE`: at or after `offset`; the end of the file is a
    /// hole.
    package func find(_ region: Region, from offset: Int64) throws(StoreError) -> Int64 {
        try lock.shared { () throws(StoreError) in try findUnlocked(region, from: offset) }
    }

    /// The caller holds the lock, shared or exclusive.
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
