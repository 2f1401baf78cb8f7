import MAMModel
import TestSupport
import Testing

@testable import MAMEngine
@testable import MAMOffice

@Suite struct ReadmissionTests {
    let now = TestOrganization.now
    let users = (0..<2).map { _ in NKeySeed(random: .user).key }

    @Test func `an account's token says whom it lets in again`() throws {
        let organization = try TestOrganization()
        let directory = organization.directory
        let engine = try Engine.make(
            in: directory, named: "Contoso",
            EngineSettings(servers: ["a:1"], https: nil, replicas: 1), at: now)
        func token() throws -> Token { try directory.token(Engine.accountToken) }
        let first = try token()
        try engine.revoke(users, at: now)
        let revoked = try token()
        #expect(!first.covers(revocationsOf: revoked) && revoked.covers(revocationsOf: first))
        try engine.readmit(users[0], at: now)
        let readmitted = try token()
        #expect(readmitted.revoked == [users[1]: now])
        #expect(readmitted.issued > revoked.issued)
        #expect(readmitted.covers(revocationsOf: revoked))
        // Revoked once more: the token that lets it in is that of an older copy.
        try engine.revoke([users[0]], at: now)
        #expect(!readmitted.covers(revocationsOf: try token()))
        try engine.readmit(users[0], at: now + 1)
        #expect(try token().revoked == [users[1]: now])
    }
}
