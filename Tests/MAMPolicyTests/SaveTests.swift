import MAMModel
import MAMPolicy
import Testing

/// The columns of every table: the location is ann's, bob's (receives from all), bob's (receives
/// from managed programs only), an unmanaged account's, nobody's known.
@Suite struct SaveTests {
    /// Where policy names the location in its list and blocks all others.
    static let listed: [(SaveLocation, graph: StorageLocation?, expected: String)] = [
        (.other, nil, "nnnnn"),
        (.oneDriveForBusiness, .oneDriveForBusiness, "ynnnn"),
        (.sharePoint, .sharePoint, "ynnnn"),
        (.box, .box, "ynnnn"),
        (.dropbox, nil, "nnnnn"),
        (.googleDrive, nil, "nnnnn"),
        (.localDrive, .localStorage, "ynnnn"),
        (.cameraRoll, .photoLibrary, "yynyy"),
        (.accountDocument, .accountDocument, "ynnnn"),
        (.iManage, .iManage, "ynnnn"),
        (.egnyte, .egnyte, "ynnnn"),
    ]

    /// Elsewhere the location and the list mean nothing.
    static let elsewhere: [(DataTransfers?, blocked: Bool?, expected: String)] = [
        (nil, nil, "yynyy"), (nil, true, "yynyy"),
        (.allApps, nil, "yynyy"), (.allApps, false, "yynyy"), (.allApps, true, "yynyy"),
        (.managedApps, nil, "yynyy"), (.managedApps, false, "yynyy"),
        (.noApps, nil, "nnnnn"), (.noApps, false, "nnnnn"), (.noApps, true, "nnnnn"),
    ]

    static let levels: [DataTransfers] = [.allApps, .managedApps, .noApps]

    @Test func `a managed account's data, in every cell`() throws {
        var cells = 0
        for row in Self.listed {
            let others = StorageLocation.allCases.filter { $0 != row.graph }
            for list in [StorageLocation.allCases, others, nil] {
                let isListed = list?.count == StorageLocation.allCases.count
                let owner = try owner(.managedApps, blocked: true, list)
                let found = try answers(owner, row.0)
                #expect(found == (isListed ? row.expected : "nnnnn"), "\(row.0)")
                cells += found.count
                for other in Self.elsewhere {
                    let found = try answers(
                        try self.owner(other.0, blocked: other.blocked, list), row.0)
                    #expect(found == other.expected, "\(row.0) \(other)")
                    cells += found.count
                }
            }
        }
        #expect(cells == 1815)
    }

    @Test(arguments: SaveLocation.allCases)
    func `unmanaged data goes where the other side takes it`(_ location: SaveLocation) throws {
        for owner in [try carol(), .nobody] {
            let places = [
                try bob(.allApps), try bob(.managedApps), try bob(.noApps), try carol(), nil,
            ]
            #expect(letters(places.map { owner.canSave(to: location, of: $0) }) == "ynnyy")
        }
    }

    @Test func `the same account need not receive from others`() throws {
        let owner = try ann {
            $0.allowedOutboundDataTransferDestinations = .managedApps
            $0.allowedInboundDataTransferSources = .noApps
        }
        #expect(owner.canSave(to: .oneDriveForBusiness, of: owner).isAllowed)
    }

    @Test func `the dictionary has each location once, and says the rule`() throws {
        let owner = try owner(.managedApps, blocked: true, [.oneDriveForBusiness])
        let found = owner.saveLocations(of: owner)
        #expect(found.map(\.0.rawValue) == [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
        #expect(letters(found.map(\.1)) == "nynnnnnnnnn")
        let rules = found.map(\.1.rule)
        #expect(rules.allSatisfy { $0 == "allowedDataStorageLocations" })
        let elsewhere = owner.canSave(to: .oneDriveForBusiness, of: nil)
        #expect(elsewhere.rule == "saveAsBlocked")
        #expect(elsewhere.reason.english.contains("ann@contoso.com"))
    }

    private func owner(
        _ level: DataTransfers?, blocked: Bool?, _ list: [StorageLocation]?
    ) throws -> Principal {
        try ann {
            $0.allowedOutboundDataTransferDestinations = level
            $0.saveAsBlocked = blocked
            $0.allowedDataStorageLocations = list
        }
    }

    private func answers(_ owner: Principal, _ location: SaveLocation) throws -> String {
        let places = [owner, try bob(.allApps), try bob(.managedApps), try carol(), nil]
        return letters(places.map { owner.canSave(to: location, of: $0) })
    }
}
