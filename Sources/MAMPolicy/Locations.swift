// The SDK's locations for saving and opening.
//
// The two number the same services differently, so they are separate types.

internal import MAMModel

/// `IntuneMAMSaveLocation`; the raw value is the SDK's bit.
package enum SaveLocation: Int, Sendable, CaseIterable {
    case other = 0
    case oneDriveForBusiness = 1
    case sharePoint = 2
    case box = 4
    case dropbox = 8
    case googleDrive = 16
    case localDrive = 32
    case cameraRoll = 64
    case accountDocument = 128
    case iManage = 256
    case egnyte = 512

    /// The member of `allowedDataStorageLocations` for this location; nil if there is none.
    package var listed: StorageLocation? {
        switch self {
        case .other, .dropbox, .googleDrive: nil
        case .oneDriveForBusiness: .oneDriveForBusiness
        case .sharePoint: .sharePoint
        case .box: .box
        case .localDrive: .localStorage
        case .cameraRoll: .photoLibrary
        case .accountDocument: .accountDocument
        case .iManage: .iManage
        case .egnyte: .egnyte
        }
    }
}

/// `IntuneMAMOpenLocation`; the raw value is the SDK's bit.
package enum OpenLocation: Int, Sendable, CaseIterable {
    case other = 0
    case oneDriveForBusiness = 1
    case sharePoint = 2
    case camera = 4
    case localStorage = 8
    case photos = 16
    case accountDocument = 32
    case box = 64
    case iManage = 128
    case egnyte = 256

    /// The member of `allowedDataIngestionLocations` for this location; nil if there is none.
    package var listed: IngestionLocation? {
        switch self {
        case .other, .localStorage, .accountDocument, .box, .iManage, .egnyte: nil
        case .oneDriveForBusiness: .oneDriveForBusiness
        case .sharePoint: .sharePoint
        case .camera: .camera
        case .photos: .photoLibrary
        }
    }
}

extension SaveLocation {
    /// The SDK's name: `OneDriveForBusiness`, `LocalDrive`, `CameraRoll`…
    package var name: String { SDKName.saveLocations[rawValue] ?? "" }

    /// Accepts the SDK's name or Graph's (`localStorage`, `photoLibrary`), ignoring case.
    package init?(name: String) {
        guard let found = Self.match(name, \.name, \.listed?.rawValue) else { return nil }
        self = found
    }
}

extension OpenLocation {
    /// The SDK's name: `OneDriveForBusiness`, `LocalStorage`, `Photos`…
    package var name: String { SDKName.openLocations[rawValue] ?? "" }

    /// Accepts the SDK's name or Graph's (`photoLibrary`), ignoring case.
    package init?(name: String) {
        guard let found = Self.match(name, \.name, \.listed?.rawValue) else { return nil }
        self = found
    }
}

extension CaseIterable {
    fileprivate static func match(
        _ name: String, _ sdk: (Self) -> String, _ graph: (Self) -> String?
    ) -> Self? {
        let wanted = name.lowercased()
        return allCases.first {
            sdk($0).lowercased() == wanted || graph($0)?.lowercased() == wanted
        }
    }
}
