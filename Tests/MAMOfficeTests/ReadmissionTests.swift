import MAMModel
import TestSupport
import Testing

@testable import MAMEngine
@testable import MAMOffice

@Suite struct ReadmissionTests {
    let now = TestOrganization.now
    let users = (0..<2).map { _ in NKeySeed(random: .user).key }
    var tokens: [NKey: Int64] { [users[0]: now, users[1]: now] }

    @Test func `an account's token says whom it lets in again`() throws {
        let organization = try TestOrganization()
        let directory = organization.directory
        let engine = try Engine.make(
            in: directory, named: "Contoso",
            EngineSettings(servers: ["a:1"], https: nil, replicas: 1), at: now)
        func token() throws -> Token { try directory.token(Engine.accountToken) }
        let first = try token()
        try engine.revoke(tokens, at: now)
        let revoked = try token()
        #expect(!first.covers(revocationsOf: revoked) && revoked.covers(revocationsOf: first))
        try engine.readmit(users[0], at: now)
        let readmitted = try token()
        #expect(readmitted.revoked == [users[1]: now])
        #expect(readmitted.issued > revoked.issued)
        #expect(readmitted.covers(revocationsOf: revoked))
        // Revoked once more: the token that lets it in is that of an older copy.
        try engine.revoke([users[0]: now], at: now)
        #expect(!readmitted.covers(revocationsOf: try token()))
        try engine.readmit(users[0], at: now + 1)
        #expect(try token().revoked == [users[1]: now])
    }

    /// Its clock may be ahead of the other's.
    @Test func `an older copy lets nobody in whom another has revoked since`() throws {
        let (organization, copy) = (try TestOrganization(), try TestOrganization())
        let settings = EngineSettings(servers: ["a:1"], https: nil, replicas: 1)
        let engine = try Engine.make(
            in: organization.directory, named: "Contoso", settings, at: now)
        func token() throws -> Token { try organization.directory.token(Engine.accountToken) }
        try engine.revoke(tokens, at: now)
        let older = try token()
        try engine.readmit(users[0], at: now + 1)
        try engine.revoke([users[0]: now], at: now + 2)
        let other = try Engine.make(in: copy.directory, named: "Contoso", settings, at: now)
        try copy.directory.write(Engine.accountToken, Array(older.text.utf8))
        try other.readmit(users[0], at: now + 86_400)
        let readmitted = try copy.directory.token(Engine.accountToken)
        #expect(readmitted.covers(revocationsOf: older))
        #expect(!readmitted.covers(revocationsOf: try token()))
    }

    @Test func `who is revoked twice, the second time by a clock that is behind, stays so`() throws
    {
        let organization = try TestOrganization()
        let engine = try Engine.make(
            in: organization.directory, named: "Contoso",
            EngineSettings(servers: ["a:1"], https: nil, replicas: 1), at: now)
        try engine.revoke(tokens, at: now)
        try engine.revoke(tokens, at: now - 60)
        let token = try organization.directory.token(Engine.accountToken)
        #expect(token.revoked == [users[0]: now, users[1]: now])
    }

    @Test func `a token of a clock ahead is revoked, too`() throws {
        let organization = try TestOrganization()
        let engine = try Engine.make(
            in: organization.directory, named: "Contoso",
            EngineSettings(servers: ["a:1"], https: nil, replicas: 1), at: now)
        try engine.revoke([users[0]: now + 86_400], at: now)
        let token = try organization.directory.token(Engine.accountToken)
        #expect(token.revoked == [users[0]: now + 86_400])
    }
}
