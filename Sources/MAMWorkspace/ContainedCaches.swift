// Clears the caches that contained programs left, when their account locks.

internal import Glibc
internal import MAMKeyring
internal import MAMModel
internal import MAMSettings
internal import MAMSystem
internal import MAMTree
internal import MAMVault

/// Clears caches in the sealed homes of an account, if a setting names them.
///
/// On a thread of its own: removing a file needs no key, so that neither lock nor unlock waits.
struct ContainedCaches: Sendable {
    let tree: Tree
    private var vault: Vault { tree.vault }

    init(_ tree: Tree) { self.tree = tree }

    /// A pass ends by then, whoever makes files faster; the next unlock resumes it.
    private static let seconds = 60

    /// The account has just been locked.
    func clearSoon(of account: AccountID) {
        let time = currentTime
        start(account, time) { $0.begin(of: account, at: time) }
    }

    /// The account is about to be unlocked. Clears what an earlier pass left, and an earlier
    /// daemon.
    func clearLeftovers(of account: AccountID) {
        start(account, currentTime) { $0.resume(of: account) }
    }

    private func start(
        _ account: AccountID, _ time: Int64, _ mayStart: (CacheClearings) -> Bool
    ) {
        guard !vault.rules.settings.clearedCaches.isEmpty, tree.isServed, !tree.isReadOnly else {
            return
        }
        guard mayStart(vault.walks.caches) else { return }
        do throws(Errno) {
            try startThread(named: "clear-caches") { run(account, time) }
        } catch {
            _ = finish(account, isWhole: false)
            vault.log.warning("caches of contained programs are cleared later: \(error)")
        }
    }

    private func run(_ account: AccountID, _ time: Int64) {
        var time: Int64? = time
        while let limit = time {
            time = finish(account, isWhole: clear(account, changedUntil: limit))
        }
    }

    private func finish(_ account: AccountID, isWhole: Bool) -> Int64? {
        vault.walks.caches.finish(of: account, isWhole: isWhole)
    }

    /// True if nothing is left. `limit`: what was changed after it, as by programs that started
    /// after an unlock, stays.
    func clear(_ account: AccountID, changedUntil limit: Int64) -> Bool {
        let name = vault.identity(of: account).description
        // Who may start its programs.
        let users = Set([vault.keyring.uid(of: account), 0, geteuid()].compactMap(\.self))
        var sweep = CacheSweep(
            tree, of: account, changedUntil: limit, deadline: Deadline(seconds: Self.seconds))
        for user in users.sorted() {
            let home = SealedHome(of: name, user: user)
            for path in vault.rules.settings.clearedCaches.flatMap(home.paths) {
                sweep.clear(ByteString(path), of: user)
            }
        }
        sweep.finish()
        if sweep.count > 0 {
            let files = counted(sweep.count, "file")
            vault.log.info("caches of contained programs of \(name) cleared: \(files)")
        }
        return sweep.isWhole
    }

    private var currentTime: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time.nanoseconds
    }
}

extension timespec {
    /// The largest number for a time that is later: a file's may be any.
    var nanoseconds: Int64 {
        let (product, overflow) = Int64(tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return tv_sec < 0 ? .min : .max }
        var sum = product
        sum.add(saturating: Int64(tv_nsec))
        return sum
    }
}
