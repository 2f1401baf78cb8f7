// Saving to locations and opening from them.

package import MAMModel

extension Principal {
    /// Whether this account's data may be saved at a location of `account`; nil if that is unknown
    /// or unmanaged. The other side's policy may also refuse unmanaged data.
    package func canSave(to location: SaveLocation, of account: Principal?) -> Decision {
        let place = account ?? .nobody
        if let refusal = place.refusalToTakeIn(from: self) { return refusal }
        guard isManaged else { return freedom }
        switch policy.outbound {
        case .allApps: return .yes("\(identity) may send to all programs", by: Rule.outbound)
        case .noApps: return .no("\(identity) may send to no program", by: Rule.outbound)
        case .managedApps: break
        }
        guard rules.saveAsBlocked == true else {
            return .yes("\(identity) may save copies anywhere", by: Rule.saveAs)
        }
        return canSaveWhereBlocked(to: location, of: place)
    }

    private func canSaveWhereBlocked(to location: SaveLocation, of place: Principal) -> Decision {
        guard let listed = location.listed,
            rules.allowedDataStorageLocations?.contains(listed) == true
        else {
            return .no(
                "\(identity) may save copies only where policy lists it, and \(location.name) is"
                    + " not listed",
                by: Rule.storage)
        }
        // A photo library belongs to the device, every other listed location to an account.
        guard location == .cameraRoll || isSameAccount(as: place) else {
            return .no(
                "\(identity) may save copies in \(location.name) only of its own account",
                by: Rule.saveAs)
        }
        return .yes("\(identity) may save copies in \(location.name)", by: Rule.storage)
    }

    /// Whether this account may open data from a location of `account`; nil if that is unknown or
    /// unmanaged.
    package func canOpen(from location: OpenLocation, of account: Principal?) -> Decision {
        let place = account ?? .nobody
        if let refusal = place.refusalToGiveAway(to: self) { return refusal }
        guard isManaged else { return freedom }
        switch policy.inbound {
        case .allApps: return .yes("\(identity) may receive from all programs", by: Rule.inbound)
        case .noApps: return .no("\(identity) may receive from no program", by: Rule.inbound)
        case .managedApps: break
        }
        guard rules.blockDataIngestionIntoOrganizationDocuments == true else {
            return .yes("\(identity) may open data from anywhere", by: Rule.ingestion)
        }
        return canOpenWhereBlocked(from: location, of: place)
    }

    private func canOpenWhereBlocked(from location: OpenLocation, of place: Principal) -> Decision {
        if location == .localStorage {
            return isSameAccount(as: place)
                ? .yes("\(identity) may open its own local files", by: Rule.ingestion)
                : .no("\(identity) may open only its own local files", by: Rule.ingestion)
        }
        guard let listed = location.listed,
            rules.allowedDataIngestionLocations?.contains(listed) == true
        else {
            return .no(
                "\(identity) may open data only from where policy lists it, and \(location.name) is"
                    + " not listed",
                by: Rule.ingestionList)
        }
        guard location == .camera || location == .photos || isSameAccount(as: place) else {
            return .no(
                "\(identity) may open data from \(location.name) only of its own account",
                by: Rule.ingestion)
        }
        return .yes("\(identity) may open data from \(location.name)", by: Rule.ingestionList)
    }

    /// `getSaveToLocationsForAccountId`: one answer per location, in the SDK's order.
    package func saveLocations(of account: Principal?) -> [(SaveLocation, Decision)] {
        SaveLocation.allCases.map { ($0, canSave(to: $0, of: account)) }
    }

    /// `getOpenFromLocationsForAccountId`.
    package func openLocations(of account: Principal?) -> [(OpenLocation, Decision)] {
        OpenLocation.allCases.map { ($0, canOpen(from: $0, of: account)) }
    }
}

/// The properties in Graph's policies that decide transfers.
enum Rule {
    static let outbound = "allowedOutboundDataTransferDestinations"
    static let inbound = "allowedInboundDataTransferSources"
    static let saveAs = "saveAsBlocked"
    static let storage = "allowedDataStorageLocations"
    static let ingestion = "blockDataIngestionIntoOrganizationDocuments"
    static let ingestionList = "allowedDataIngestionLocations"
}
