import MAMModel
import MAMPolicy
import Testing

/// A document that restricts nothing covers nobody: it must not stand for the one that does.
@Suite struct CoverageTests {
    private static let key = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQHMnzFi"

    private func decoded(_ members: String) throws -> PolicyDocument {
        let text = ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", \##(members)}"##
        return try #require(try PolicyDocument.decode(Array(text.utf8)).first)
    }

    private func ann() throws -> Identity { try Identity(name: "ann@contoso.com", objectID: "o-1") }

    @Test(arguments: [
        #""mamdRecoveryPublicKey": "\#(key)""#, #""customSettings": [{"name": "n", "value": "v"}]"#,
        #""notificationRestriction": "block""#, #""minimumWarningOsVersion": "99""#,
        #""maximumPinRetries": 3, "minimumPinLength": 8, "simplePinBlocked": true"#,
        #""exemptedUniversalLinks": ["https://a/*"]"#,
        #""appActionIfDeviceComplianceRequired": "wipe""#,
    ])
    func `what only adds to others covers nobody, and adds all the same`(_ members: String) throws {
        let ann = try ann()
        let document = try decoded(members)
        #expect(document.remarks == [.coversNobody])
        let book = PolicyBook(documents: [document])
        #expect(!book.covers(ann) && !book.hasProtection)
        #expect(book.documents(for: ann) == [document])
        // Nor does it replace the tenant's default, or what holds until a policy comes.
        var standing = try decoded(#""pinRequired": true"#)
        standing.isDefault = true
        let both = PolicyBook(documents: [document, standing])
        #expect(both.covers(ann))
        #expect(both.documents(for: ann) == [document, standing])
        (standing.isDefault, standing.isPlaceholder) = (false, true)
        let waiting = PolicyBook(documents: [document, standing])
        #expect(!waiting.covers(ann))
        #expect(waiting.policy(for: ann).rules.pinRequired == true)
    }

    @Test(arguments: [
        #""pinRequired": true"#, #""pinRequired": false"#, #""printBlocked": true"#,
        #""appDataEncryptionType": "useDeviceSettings""#, #""minimumRequiredOsVersion": "1""#,
        #""minimumWipeOsVersion": "1""#, #""periodOfflineBeforeAccessCheck": "P1D""#,
        #""mamdRecoveryPublicKey": "\#(key)", "saveAsBlocked": true"#,
    ])
    func `a rule that decides covers, strict or not`(_ members: String) throws {
        let document = try decoded(members)
        #expect(document.remarks.isEmpty)
        #expect(PolicyBook(documents: [document]).covers(try ann()))
    }

    /// What the recovery key's guide writes, and a policy for a group that somebody leaves.
    @Test func `who leaves a group is not covered by a recovery key`() throws {
        let ann = try ann()
        let recovery = try decoded(#""mamdRecoveryPublicKey": "\#(Self.key)""#)
        var staff = try decoded(#""pinRequired": true"#)
        staff.assignments = [.group("staff")]
        let before = PolicyBook(
            documents: [recovery, staff], groups: ["staff": ["ann@contoso.com"]])
        #expect(before.covers(ann))
        #expect(before.policy(for: ann).rules.mamdRecoveryPublicKey?.count == 1)
        let after = PolicyBook(documents: [recovery, staff], groups: ["staff": []])
        #expect(!after.covers(ann))
        #expect(after.policy(for: ann).rules.mamdRecoveryPublicKey?.count == 1)
    }
}
