import MAMModel
import MAMPolicy
import Testing

/// What a developer's guide asks an app to try before it is released. All with data going to and
/// coming from managed programs only.
@Suite struct AcceptanceTests {
    @Test(arguments: [
        (Bool?.none, [StorageLocation]?.none, "yy"), (true, [.oneDriveForBusiness], "yn"),
        (true, [], "nn"),
    ])
    func `a to c: saving a copy to OneDrive and to another cloud`(
        _ blocked: Bool?, _ list: [StorageLocation]?, _ row: String
    ) throws {
        let owner = try managed {
            $0.saveAsBlocked = blocked
            $0.allowedDataStorageLocations = list
        }
        let found = [
            owner.canSave(to: .oneDriveForBusiness, of: owner),
            owner.canSave(to: .sharePoint, of: owner),
        ]
        #expect(letters(found) == row)
    }

    @Test(arguments: [
        (Bool?.none, [IngestionLocation]?.none, "yy"), (true, [.oneDriveForBusiness], "yn"),
        (true, [], "nn"),
    ])
    func `d to f: opening from OneDrive and from another cloud`(
        _ blocked: Bool?, _ list: [IngestionLocation]?, _ row: String
    ) throws {
        let receiver = try managed {
            $0.blockDataIngestionIntoOrganizationDocuments = blocked
            $0.allowedDataIngestionLocations = list
        }
        let found = [
            receiver.canOpen(from: .oneDriveForBusiness, of: receiver),
            receiver.canOpen(from: .sharePoint, of: receiver),
        ]
        #expect(letters(found) == row)
    }

    @Test func `g: open-in shows managed programs and works for the same account only`() throws {
        let owner = try managed { $0.filterOpenInToOnlyManagedApps = true }
        #expect(owner.shareOffer(toManagedProgram: true).decision.isAllowed)
        #expect(!owner.shareOffer(toManagedProgram: false).decision.isAllowed)
        #expect(owner.canReceiveFile(of: owner).decision.isAllowed)
        #expect(!(try bob(.managedApps).canReceiveFile(of: owner).decision.isAllowed))
        #expect(!(try bob(.allApps).canReceiveFile(of: owner).decision.isAllowed))
    }

    @Test(arguments: [(Bool?.none, true), (false, true), (true, false)])
    func `h: printing`(_ blocked: Bool?, _ expected: Bool) throws {
        let found = try managed { $0.printBlocked = blocked }.answer(.isPrintingAllowed)
        #expect(found.isAllowed == expected)
        #expect(found.rule == "printBlocked")
    }

    /// From managed to managed, managed to unmanaged, unmanaged to managed, unmanaged to unmanaged.
    @Test(arguments: ["import", "receive"])
    func `the eight transfers between one account's programs and a person's`(
        _ direction: String
    ) throws {
        let work = try managed { $0.blockDataIngestionIntoOrganizationDocuments = true }
        let own = try carol()
        let pairs = [(work, work), (work, own), (own, work), (own, own)]
        let found = pairs.map { source, target in
            switch direction {
            case "import": target.canOpen(from: .localStorage, of: source)
            default: target.canReceiveFile(of: source).decision
            }
        }
        #expect(letters(found) == "ynny")
    }

    @Test func `one who sends to none offers no program, and reads its own`() throws {
        let owner = try ann { $0.allowedOutboundDataTransferDestinations = .noApps }
        #expect(!owner.shareOffer(toManagedProgram: true).decision.isAllowed)
        #expect(owner.isReadable(by: owner))
    }

    private func managed(_ configure: (inout PolicyRules) -> Void) throws -> Principal {
        try ann {
            $0.allowedOutboundDataTransferDestinations = .managedApps
            $0.allowedInboundDataTransferSources = .managedApps
            configure(&$0)
        }
    }
}
