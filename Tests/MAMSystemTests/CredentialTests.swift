import CShims
import Glibc
import MAMModel
import MAMSystem
import Testing

@Suite(.serialized)
struct CredentialTests {
    /// The kernel sets the flag to fs.suid_dumpable at each switch; with 0, as it is by default,
    /// that is no matter.
    @Test(.enabled(if: geteuid() == 0))
    func `a process that acts for another user cannot be dumped, nor afterwards`() throws {
        let setting = open("/proc/sys/fs/suid_dumpable", O_RDWR)
        defer { close(setting) }
        var before = [UInt8](repeating: 0, count: 8)
        let count = read(setting, &before, before.count)
        guard count > 0, pwrite(setting, "2", 1, 0) == 1 else { return }
        // It is the whole machine's: what another run of the tests has set is put back by that.
        defer { if before[0] != UInt8(ascii: "2") { pwrite(setting, before, count, 0) } }
        #expect(mam_forbid_core_dumps() == 0)
        #expect(mam_act_as(4711, 4711) == 0)
        #expect(mam_is_dumpable() == 0)
        mam_act_as_self()
        #expect(mam_is_dumpable() == 0)
    }

    /// Whoever it acts for: the kernel drops and raises capabilities only on the way from and to
    /// uid 0.
    @Test(.enabled(if: geteuid() == 0), arguments: [(4711, 4711), (4711, 0), (0, 4711)])
    func `no capability is lost, neither meanwhile nor afterwards`(
        user: UInt32, group: UInt32
    ) throws {
        let before = effectiveCapabilities(ofThread: mam_thread_id())
        #expect(before != 0)
        #expect(mam_act_as(user, group) == 0)
        let meanwhile = effectiveCapabilities(ofThread: mam_thread_id())
        mam_act_as_self()
        #expect(meanwhile == before)
        #expect(effectiveCapabilities(ofThread: mam_thread_id()) == before)
    }
}
