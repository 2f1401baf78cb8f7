import MAMFleet
import MAMModel
import Testing

@testable import MAMOffice

/// Policies that wait for order keys at the office.
@Suite struct OrderKeysTests {
    private static let naming = """
        {"mamdRecoveryPublicKey": "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQHMnzFi"}
        """

    /// `signers`: of the version in force that names a recovery key; none are left of a key that a
    /// root took away.
    private func waiting(after signers: Int, taking content: String) throws -> [String] {
        let contoso = try TestOrganization()
        try contoso.put("former/5/a.json", contoso.policy(Self.naming, serial: 5, signers: signers))
        try contoso.put("signed/a.json", contoso.policy(content, serial: 6))
        let heads = SignedTime(heads: [Slot(.policy, .all, "a.json"): 5]).json.encoded()
        try contoso.put(
            OrganizationDirectory.time, contoso.envelope(.time, heads, name: "time"))
        let root = try contoso.directory.rootInForce().root
        return try contoso.directory.filesForOrderKeys(by: root, of: contoso.id)
    }

    @Test(arguments: 0...2)
    func `what takes a recovery key away waits, whoever has signed what names it`(
        signers: Int
    ) throws {
        for content in ["{}", ""] {
            #expect(try waiting(after: signers, taking: content) == ["signed/a.json"])
        }
    }
}
