import Glibc
import MAMModel
import MAMSystem
import Testing

/// Only root's own directories are good: what a test makes lies below /tmp, which everybody writes
/// to. Tests/Integration/test_contain_trusted.py makes others.
struct RootsPathTests {
    private func flaw(_ path: String) -> PathFlaw.Kind? {
        do throws(PathFlaw) {
            _ = try statusOfRootsFile(at: ByteString(path))
            return nil
        } catch { return error.kind }
    }

    @Test func `a program of the system's is root's`() throws {
        let path = try #require(ByteString("/bin/sh").resolved)
        #expect(flaw(path.shown) == nil)
        let found = try statusOfRootsFile(at: path)
        #expect(found.st_ino == (try status(at: workingDirectory, path.cString)).st_ino)
    }

    @Test(
        arguments: [
            ("bin/sh", .notAbsolute), ("", .notAbsolute), ("/usr/bin", .notFile),
            ("/usr/nothing-of-this-name", .failed(.noEntry)), ("/proc/self/exe", .link),
            ("/tmp/anything", .writable),
        ] as [(String, PathFlaw.Kind)])
    func `anything else is not`(_ path: String, _ expected: PathFlaw.Kind) {
        #expect(flaw(path) == expected)
    }
}
