// How much time of the processors a control group leaves to this process.

/// Whether this process, or a group around it, has a limit to the time of processors that it may use now (`cpu.max` of control groups,
/// or `cpu.cfs_quota_us` of their first version): what is used in vain is then missing elsewhere.
package func hasProcessorQuota() -> Bool {
    let bytes = (try? readSmallFile("/proc/self/cgroup", maximumByteCount: 16 << 10)) ?? []
    return quotaFiles(ofGroups: bytes).contains { path in
        (try? readSmallFile(path, maximumByteCount: 256)).map(isLimit) ?? false
    }
}

/// Where the limits of a process's groups stand, and of all around these; not all of them are there. Such as `0::/a/b`, or
/// `4:cpu,cpuacct:/a/b`. In a name space of control groups the outermost may have a limit too.
func quotaFiles(ofGroups list: [UInt8]) -> [String] {
    list.split(separator: UInt8(ascii: "\n")).flatMap { line -> [String] in
        let parts = line.split(
            separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return [] }
        let controllers = String(decoding: parts[1], as: UTF8.self)
        guard controllers.isEmpty || controllers.split(separator: ",").contains("cpu") else {
            return []
        }
        let root = controllers.isEmpty ? "/sys/fs/cgroup/" : "/sys/fs/cgroup/\(controllers)/"
        let names = parts[2].split(separator: UInt8(ascii: "/")).map {
            String(decoding: $0, as: UTF8.self)
        }
        return (0...names.count).reversed().map { count in
            root + names.prefix(count).map { "\($0)/" }.joined()
                + (controllers.isEmpty ? "cpu.max" : "cpu.cfs_quota_us")
        }
    }
}

/// Microseconds in each so many, such as `50000 100000`; `max 100000` or, by itself, `-1` is none.
func isLimit(_ line: [UInt8]) -> Bool {
    !line.isEmpty && !line.starts(with: "max".utf8) && !line.starts(with: "-1".utf8)
}
