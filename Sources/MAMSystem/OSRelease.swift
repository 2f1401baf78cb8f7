// What the system says it is: os-release(5).

/// A value of the file, such as `VERSION_ID`, without its quotation marks; nil if there is none.
package func osRelease(_ key: String) -> String? {
    for place in ["/etc/os-release", "/usr/lib/os-release"] {
        guard let bytes = try? readSmallFile(place, maximumByteCount: 65_536) else { continue }
        return bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
            .first { $0.hasPrefix("\(key)=") }
            .map { $0.dropFirst(key.count + 1).filter { $0 != "\"" && $0 != "'" } }
    }
    return nil
}
