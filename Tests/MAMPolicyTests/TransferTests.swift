import MAMModel
import MAMPolicy
import Testing

@Suite struct TransferTests {
    /// Columns: no owner, carol's, ann's own, bob's: sends to all, to managed programs, to none.
    @Test(arguments: [
        (DataTransfers?.none, "yyyynn"), (.allApps, "yyyynn"), (.managedApps, "nnynnn"),
        (.noApps, "nnnnnn"),
    ])
    func `what a managed account may receive`(_ level: DataTransfers?, _ row: String) throws {
        for protects in [nil, false, true] {
            let receiver = try ann {
                $0.allowedInboundDataTransferSources = level
                $0.protectInboundDataFromUnknownSources = protects
            }
            let owners = try owners(including: receiver)
            let found = owners.map { receiver.canReceiveFile(of: $0) }
            #expect(letters(found.map(\.decision)) == row)
            #expect(letters(owners.map { receiver.canReceiveItem(of: $0) }) == row)
            let isTaken = protects == true && row.first == "y"
            #expect(
                found.map(\.becomesReceivers) == [isTaken] + [false, false, false, false, false])
        }
    }

    @Test func `what an unmanaged one may receive`() throws {
        for receiver in [try carol(), .nobody] {
            let found = try owners(including: .nobody).map { receiver.canReceiveFile(of: $0) }
            #expect(letters(found.map(\.decision)) == "yyyynn")
            #expect(found.allSatisfy { !$0.becomesReceivers })
        }
    }

    /// Columns: ann reads, bob (receives from all), carol, nobody.
    @Test(arguments: [
        (DataTransfers?.none, "yyyy"), (.allApps, "yyyy"), (.managedApps, "ynnn"),
        (.noApps, "ynnn"),
    ])
    func `who may read a managed file`(_ level: DataTransfers?, _ row: String) throws {
        let owner = try ann { $0.allowedOutboundDataTransferDestinations = level }
        let readers = [owner, try bob(.allApps), try carol(), .nobody]
        #expect(letters(readers.map { owner.isReadable(by: $0) }) == row)
        let own = try carol()
        #expect(letters(readers.map { own.isReadable(by: $0) }) == "yyyy")
    }

    @Test func `a name alone is the account, and case is nothing`() throws {
        let owner = try ann { $0.allowedOutboundDataTransferDestinations = .noApps }
        let byName = Principal.managed(try Identity(name: "ANN@contoso.com"), policy())
        let byObject = Principal.managed(try Identity(name: "", objectID: "a-1"), policy())
        #expect(owner.isReadable(by: byName))
        #expect(owner.isReadable(by: byObject))
        let unmanagedTwin = Principal.unmanaged(try Identity(name: "ann@contoso.com"))
        #expect(!owner.isReadable(by: unmanagedTwin))
    }

    @Test func `a refusal names the rule and both sides`() throws {
        let owner = try ann { $0.allowedOutboundDataTransferDestinations = .managedApps }
        let found = try carol().canReceiveItem(of: owner)
        #expect(found.rule == "allowedOutboundDataTransferDestinations")
        #expect(found.reason.english == "ann@contoso.com does not send to carol@home.example")
        let receiver = try ann { $0.allowedInboundDataTransferSources = .managedApps }
        #expect(
            receiver.canReceiveFile(of: nil).decision.rule == "allowedInboundDataTransferSources")
    }

    /// Programs: managed, unmanaged. `s` is offered and gets what lies on disk, `c` gets it in the
    /// clear.
    @Test(arguments: [
        (DataTransfers?.none, Bool?.none, Bool?.none, "cc"), (.allApps, true, true, "cc"),
        (.noApps, nil, nil, "nn"), (.noApps, true, true, "nn"), (.managedApps, nil, nil, "ss"),
        (.managedApps, true, nil, "sn"), (.managedApps, false, false, "ss"),
        (.managedApps, nil, true, "cn"), (.managedApps, true, true, "cn"),
    ])
    func `which programs are offered`(
        _ level: DataTransfers?, _ filter: Bool?, _ unprotected: Bool?, _ row: String
    ) throws {
        let owner = try ann {
            $0.allowedOutboundDataTransferDestinations = level
            $0.filterOpenInToOnlyManagedApps = filter
            $0.disableProtectionOfManagedOutboundOpenInData = unprotected
        }
        #expect(offers(owner) == row)
        #expect(try offers(carol()) == "cc")
    }

    private func offers(_ owner: Principal) -> String {
        let found = [true, false].map { owner.shareOffer(toManagedProgram: $0) }
        return String(found.map { $0.decision.isAllowed ? ($0.isSealed ? "s" : "c") : "n" })
    }

    private func owners(including receiver: Principal) throws -> [Principal?] {
        [nil, try carol(), receiver, try bob(.allApps), try bob(.managedApps), try bob(.noApps)]
    }
}
