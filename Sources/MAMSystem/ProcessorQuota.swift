// How much time of the processors a control group leaves to this process.

/// Whether this process, or a group around it, has a limit to the time of processors that it may use (`cpu.max` of
/// control groups, version 2): what is used in vain is then missing elsewhere.
package func hasProcessorQuota() -> Bool {
    let bytes = (try? readSmallFile("/proc/self/cgroup", maximumByteCount: 16 << 10)) ?? []
    return groups(around: bytes).contains { group in
        let limit = try? readSmallFile("/sys/fs/cgroup/\(group)cpu.max", maximumByteCount: 256)
        return limit.map(isLimit) ?? false
    }
}

/// The directories of a process's group and of all around it, of `0::/a/b`: `a/b/`, `a/` and ``. In a namespace of control
/// groups the last one may have a limit too.
func groups(around list: [UInt8]) -> [String] {
    guard
        let line = list.split(separator: UInt8(ascii: "\n")).first(where: {
            $0.starts(with: "0::/".utf8)
        })
    else { return [] }
    let names = line.dropFirst(4).split(separator: UInt8(ascii: "/")).map {
        String(decoding: $0, as: UTF8.self)
    }
    return (0...names.count).reversed().map { names.prefix($0).map { "\($0)/" }.joined() }
}

/// Microseconds in each so many, such as `50000 100000`; or `max 100000`.
func isLimit(_ line: [UInt8]) -> Bool { !line.isEmpty && !line.starts(with: "max".utf8) }
