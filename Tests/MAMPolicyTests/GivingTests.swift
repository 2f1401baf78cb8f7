import MAMModel
import MAMPolicy
import Testing

@Suite struct GivingTests {
    private static let outbound = "allowedOutboundDataTransferDestinations"
    private static let inbound = "allowedInboundDataTransferSources"
    private static let storage = "allowedDataStorageLocations"

    /// Columns: nobody, carol, ann herself, bob: receives from all, from managed programs, from
    /// none.
    @Test(arguments: [
        (DataTransfers?.none, Bool?.none, "yyyynn"), (.none, true, "yyyynn"),
        (.allApps, nil, "yyyynn"), (.allApps, true, "yyyynn"), (.managedApps, nil, "yyynnn"),
        (.managedApps, false, "yyynnn"), (.managedApps, true, "nnynnn"), (.noApps, nil, "nnynnn"),
        (.noApps, false, "nnynnn"), (.noApps, true, "nnynnn"),
    ])
    func `whom a managed account's content may be given to`(
        _ level: DataTransfers?, _ blocked: Bool?, _ row: String
    ) throws {
        // The workspace's own place is no account's once a copy is plain, so that a list of places
        // opens nothing.
        for places in [nil, [], StorageLocation.allCases] as [[StorageLocation]?] {
            let owner = try ann {
                $0.allowedOutboundDataTransferDestinations = level
                $0.saveAsBlocked = blocked
                $0.allowedDataStorageLocations = places
            }
            #expect(letters(try receivers(including: owner).map(owner.canGive)) == row)
        }
    }

    @Test func `what no account has may be given to anybody`() throws {
        for owner in [try carol(), .nobody] {
            let found = try receivers(including: ann()).map(owner.canGive)
            #expect(letters(found) == "yyyyyy")
        }
    }

    @Test func `it is what saving and receiving answer`() throws {
        for level in [DataTransfers.allApps, .managedApps, .noApps] {
            for blocked in [false, true] {
                let owner = try ann {
                    $0.allowedOutboundDataTransferDestinations = level
                    $0.saveAsBlocked = blocked
                }
                let plain = owner.canSave(to: .localDrive, of: nil)
                #expect(owner.canGive(to: .nobody) == plain)
                #expect(try owner.canGive(to: carol()) == plain)
                let other = try bob(.allApps)
                #expect(owner.canGive(to: other) == other.canReceiveFile(of: owner).decision)
            }
        }
    }

    @Test func `a refusal names the rule of the side that refuses`() throws {
        let closed = try ann { $0.allowedOutboundDataTransferDestinations = .noApps }
        #expect(closed.canGive(to: .nobody).rule == Self.outbound)
        #expect(try closed.canGive(to: bob(.allApps)).rule == Self.outbound)
        let saving = try ann {
            $0.allowedOutboundDataTransferDestinations = .managedApps
            $0.saveAsBlocked = true
        }
        #expect(try saving.canGive(to: carol()).rule == Self.storage)
        #expect(try ann().canGive(to: bob(.noApps)).rule == Self.inbound)
        #expect(try ann().refusalToShow(to: carol().identity).rule == Self.outbound)
    }

    @Test func `an account by another of its names is the same`() throws {
        let owner = try ann { $0.allowedOutboundDataTransferDestinations = .noApps }
        let byObject = Principal.managed(try Identity(name: "", objectID: "a-1"), policy())
        #expect(owner.canGive(to: byObject).isAllowed)
        let unmanagedTwin = Principal.unmanaged(try Identity(name: "ann@contoso.com"))
        #expect(!owner.canGive(to: unmanagedTwin).isAllowed)
    }

    private func receivers(including owner: Principal) throws -> [Principal] {
        [
            .nobody, try carol(), owner, try bob(.allApps), try bob(.managedApps),
            try bob(.noApps),
        ]
    }
}
