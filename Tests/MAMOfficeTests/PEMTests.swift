// Several certificates in one file.

import MAMOffice
import Testing

@Suite struct PEMTests {
    static func certificate(_ digits: String) -> String {
        "-----BEGIN CERTIFICATE-----\n\(digits)\n-----END CERTIFICATE-----\n"
    }

    @Test func eachIsTakenAlone() {
        let two = Self.certificate("AAAA\nBBBB") + Self.certificate("CCCC")
        #expect(
            certificates(ofPEM: Array(two.utf8)).map { String(decoding: $0, as: UTF8.self) }
                == [Self.certificate("AAAA\nBBBB"), Self.certificate("CCCC")])
    }

    @Test(arguments: ["", "[]\n", "-----BEGIN CERTIFICATE-----\nAAAA\n", "x\ny\n"])
    func whatIsNoneIsNone(text: String) {
        #expect(certificates(ofPEM: Array(text.utf8)).isEmpty)
    }
}
