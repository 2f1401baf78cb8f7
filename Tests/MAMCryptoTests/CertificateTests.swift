// An authority, the next one, and who believes it.

import MAMCrypto
import Testing

@Suite struct CertificateTests {
    let first: Certified
    let next: Certified
    let link: [UInt8]

    init() throws {
        first = try CertificateAuthority.make(named: "first")
        next = try CertificateAuthority.make(named: "next")
        let authority = try CertificateAuthority(certificate: first.certificate, key: first.key)
        link = try authority.vouch(for: next, named: "next")
    }

    @Test func theNextIsBelievedIfTheFormerHasSignedItsKey() {
        #expect(isAuthority(next.certificate, by: link, of: [first.certificate]))
        #expect(
            isAuthority(next.certificate, by: link, of: [next.certificate, first.certificate]))
    }

    @Test func noOtherIsBelieved() throws {
        let other = try CertificateAuthority.make(named: "other")
        let server = try CertificateAuthority(certificate: first.certificate, key: first.key)
            .certify(named: "server", alternatives: "DNS:server")
        // Signed by another; for another key; by itself; a server's; and what is no certificate.
        #expect(!isAuthority(next.certificate, by: link, of: [other.certificate]))
        #expect(!isAuthority(other.certificate, by: link, of: [first.certificate]))
        #expect(!isAuthority(next.certificate, by: next.certificate, of: [first.certificate]))
        #expect(
            !isAuthority(server.certificate, by: server.certificate, of: [first.certificate]))
        #expect(!isAuthority(next.certificate, by: [], of: [first.certificate]))
        #expect(!isAuthority([], by: link, of: [first.certificate]))
        #expect(!isAuthority(next.certificate, by: link, of: []))
    }

    @Test func endsAreAsFarAsTheyWereAskedFor() throws {
        let authority = try CertificateAuthority(certificate: first.certificate, key: first.key)
        let ends = try [100, 86].map { days in
            let made = try authority.certify(
                named: "server", alternatives: "DNS:server", days: days)
            return try #require(certificateEnd(made.certificate))
        }
        // Each is made in a second of its own.
        #expect((0...60).contains(ends[1] + 14 * 86_400 - ends[0]))
        #expect(certificateEnd(Array("no certificate".utf8)) == nil)
    }
}
