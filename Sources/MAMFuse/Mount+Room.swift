// Whether the store has room for what the kernel may hold of a mount's writes.

internal import CFuse3
internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMVault

extension Mount {
    /// Whether the kernel may cache writes. Without room for them each write(2) goes to the store,
    /// whose refusal it returns.
    func takesRoom() -> Bool {
        guard !tree.isReadOnly, let work = tree.workDirectory else { return true }
        guard !hasLimitOfSizes() else {
            tree.vault.log.info("writes are not cached: the size of files has a limit (ulimit -f)")
            return false
        }
        let device = (try? MountTable())?.mount(at: tree.mountPoint.bytes)?.device
        if tree.room.take(2 * heldBytes(ofMountOn: device), in: work) { return true }
        tree.vault.log.info("writes are not cached: the disk is small or nearly full")
        return false
    }
}

/// A limit of the daemon's, which no room helps against.
private func hasLimitOfSizes() -> Bool {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0
        && limit.rlim_cur != rlim_t.max
}

/// The most that the kernel holds of one mount before it has written it: by default a hundredth of
/// what all of them may hold, which is a fifth of the memory that is available. `max_bytes`
/// (Linux 6.2) follows what is available now.
private func heldBytes(ofMountOn device: String?) -> Int64 {
    let memory = Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE)))
    let known = device.flatMap { device in
        try? readSmallFile("/sys/class/bdi/\(device)/max_bytes", maximumByteCount: 32)
    }
    let limit = known.flatMap { Int64(String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self)) }
    return max(memory / 500, limit ?? 0)
}
