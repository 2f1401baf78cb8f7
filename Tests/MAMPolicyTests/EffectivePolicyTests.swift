import MAMModel
import MAMPolicy
import Testing

@Suite struct EffectivePolicyTests {
    /// Rows: the policy's word; columns: the ceiling A, B, C, D.
    @Test(arguments: [
        (DataEncryption.whenDeviceLocked, "ABCD"), (.whenDeviceLockedExceptOpenFiles, "BBCD"),
        (.afterDeviceRestart, "CCCD"), (.useDeviceSettings, "CCCD"),
    ])
    func `the class is the weaker of policy and ceiling`(_ asked: DataEncryption, _ row: String) {
        var document = PolicyDocument()
        document.rules.appDataEncryptionType = asked
        let policy = EffectivePolicy.merge([document])
        for (ceiling, expected) in zip(ProtectionClass.allCases, row) {
            let rule = policy.classRule(
                deviceDefault: .completeUntilFirstUserAuthentication, ceiling: ceiling)
            #expect(rule.effectiveClass(asked: nil).letter == String(expected))
        }
    }

    /// Rows: the class asked for; columns: policy's class A, B, C, D, under the ceiling in the
    /// middle.
    @Test(arguments: [
        ("A", "A", "AAAA"), ("B", "A", "ABBB"), ("C", "A", "ABCC"), ("D", "A", "ABCD"),
        ("A", "C", "CCCC"), ("D", "B", "BBCD"),
    ])
    func `a class that was asked for is only ever stricter than policy, and below the ceiling`(
        _ asked: String, _ ceiling: String, _ row: String
    ) throws {
        for (own, expected) in zip(ProtectionClass.allCases, row) {
            let rule = EffectivePolicy.merge([]).classRule(
                deviceDefault: own, ceiling: try #require(ProtectionClass(ceiling)))
            let found = rule.effectiveClass(asked: ProtectionClass(asked))
            #expect(found.letter == String(expected))
        }
    }

    @Test(arguments: ProtectionClass.allCases)
    func `the device's own class counts where policy leaves it open`(_ own: ProtectionClass) {
        #expect(EffectivePolicy.merge([]).policyClass(deviceDefault: own) == own)
        #expect(EffectivePolicy.merge([PolicyDocument()]).policyClass(deviceDefault: own) == own)
    }

    /// Rows: the words of two documents, nil for none; columns: the device's own class A, B, C, D.
    @Test(
        arguments: [
            (nil, .afterDeviceRestart, "ABCC"), (.useDeviceSettings, .afterDeviceRestart, "ABCC"),
            (nil, .whenDeviceLockedExceptOpenFiles, "ABBB"), (nil, .useDeviceSettings, "ABCD"),
            (nil, .whenDeviceLocked, "AAAA"), (.whenDeviceLocked, .afterDeviceRestart, "AAAA"),
            (.afterDeviceRestart, .afterDeviceRestart, "CCCC"),
        ] as [(DataEncryption?, DataEncryption?, String)])
    func `the device's own class is the least where one document leaves it open`(
        _ one: DataEncryption?, _ other: DataEncryption?, _ row: String
    ) {
        let documents = [document(one), document(other)]
        let inSteps = EffectivePolicy.lockDown(of: documents.map { .merge([$0]) })
        for (own, expected) in zip(ProtectionClass.allCases, row) {
            for policy in [.merge(documents), .merge(documents.reversed()), inSteps] {
                #expect(policy.policyClass(deviceDefault: own).letter == String(expected))
            }
        }
    }

    @Test func `the strictest of several documents counts in any order`() {
        for one in DataEncryption.allCases.enumerated() {
            for two in DataEncryption.allCases.enumerated() {
                let merged = EffectivePolicy.merge([document(one.element), document(two.element)])
                let strictest = one.offset > two.offset ? one.element : two.element
                #expect(merged.rules.appDataEncryptionType == strictest)
            }
        }
        var open = PolicyDocument()
        open.rules.allowedOutboundDataTransferDestinations = .allApps
        open.rules.allowedInboundDataTransferSources = .managedApps
        var closed = PolicyDocument()
        closed.rules.allowedOutboundDataTransferDestinations = .noApps
        let merged = EffectivePolicy.merge([open, closed, document(nil)])
        #expect(merged.rules.allowedOutboundDataTransferDestinations == .noApps)
        #expect(merged.rules.allowedInboundDataTransferSources == .managedApps)
        #expect(merged.rules.appDataEncryptionType == nil)
    }

    private func document(_ asked: DataEncryption?) -> PolicyDocument {
        var document = PolicyDocument()
        document.rules.appDataEncryptionType = asked
        return document
    }

    /// It is on disk, in records of enrolments: what is configured decides, in Graph's words.
    @Test func `the mark of a policy is the same in every version`() {
        #expect(policy { $0.printBlocked = true }.mark == "1949dd96a1812144")
        #expect(policy { $0.printBlocked = false }.mark != policy { $0.printBlocked = true }.mark)
        #expect(policy().mark != policy { $0.printBlocked = true }.mark)
    }
}

extension EffectivePolicy {
    func policyClass(deviceDefault: ProtectionClass) -> ProtectionClass {
        classRule(deviceDefault: deviceDefault, ceiling: .complete).policyClass
    }
}
