// The enrolment interface's text.

import MAMSystem
import Testing

@testable import MAMControl

@Suite("Enrolment interface")
struct EnrollmentWireTests {
    @Test("the server describes the interface in the words of docs/io.mamd.Enrollment.varlink")
    func description() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let bytes = try readSmallFile(
            "/\(root)/docs/io.mamd.Enrollment.varlink", maximumByteCount: 1 << 20)
        #expect(String(decoding: bytes, as: UTF8.self) == EnrollmentDescription.text)
    }
}
