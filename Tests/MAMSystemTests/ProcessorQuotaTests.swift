import Testing

@testable import MAMSystem

@Suite("Limits to the time of processors")
struct ProcessorQuotaTests {
    @Test("A limit of a control group around this one counts, too")
    func groupsAround() {
        let list = Array("1:name=systemd:/old\n0::/user.slice/user-1000.slice\n".utf8)
        let place = "/sys/fs/cgroup/"
        #expect(
            quotaFiles(ofGroups: list) == [
                "\(place)user.slice/user-1000.slice/cpu.max", "\(place)user.slice/cpu.max",
                "\(place)cpu.max",
            ])
        #expect(quotaFiles(ofGroups: Array("0::/\n".utf8)) == ["\(place)cpu.max"])
        #expect(
            quotaFiles(ofGroups: Array("5:cpuset:/\n4:cpu,cpuacct:/a:b\n".utf8)) == [
                "\(place)cpu,cpuacct/a:b/cpu.cfs_quota_us", "\(place)cpu,cpuacct/cpu.cfs_quota_us",
            ])
        #expect(quotaFiles(ofGroups: []) == [])
    }

    @Test("A group without a limit says so")
    func limits() {
        #expect(isLimit(Array("50000 100000\n".utf8)))
        #expect(isLimit(Array("50000\n".utf8)))
        #expect(!isLimit(Array("max 100000\n".utf8)))
        #expect(!isLimit(Array("-1\n".utf8)))
        #expect(!isLimit([]))
    }
}
