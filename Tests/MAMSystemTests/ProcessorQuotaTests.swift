import Testing

@testable import MAMSystem

@Suite("Limits to the time of processors")
struct ProcessorQuotaTests {
    @Test("A limit of a control group around this one counts, too")
    func groupsAround() {
        let list = Array("1:name=systemd:/old\n0::/user.slice/user-1000.slice\n".utf8)
        #expect(groups(around: list) == ["user.slice/user-1000.slice/", "user.slice/", ""])
        #expect(groups(around: Array("0::/\n".utf8)) == [""])
        #expect(groups(around: Array("4:cpu:/of/version/1\n".utf8)) == [])
        #expect(groups(around: []) == [])
    }

    @Test("A group without a limit says so")
    func limits() {
        #expect(isLimit(Array("50000 100000\n".utf8)))
        #expect(!isLimit(Array("max 100000\n".utf8)))
        #expect(!isLimit([]))
    }
}
