import Glibc
import MAMModel
import MAMPlaces
import MAMSystem
import TestSupport
import Testing

@Suite struct StoreProbeTests {
    @Test func `a file system that can do all is found fit, and nothing is left`() throws {
        let place = try TemporaryDirectory()
        let work = try openFile(place.path, O_RDONLY | O_DIRECTORY)
        let probe = try StoreProbe(in: work)
        #expect(probe.lacking.filter(\.isVital).isEmpty)
        #expect(!probe.lacking.contains(.exchange))
        #expect(!probe.lacking.contains(.caseInNames))
        #expect(!probe.lacking.contains(.links))
        #expect(try entries(of: work.raw).isEmpty)
    }

    @Test func `a directory where nothing can be made is an error`() throws {
        let work = try openFile("/proc/self", O_RDONLY | O_DIRECTORY)
        #expect(throws: Errno.self) { try StoreProbe(in: work) }
    }
}
