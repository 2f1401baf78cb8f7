// The names of the SDK's properties, locations and modes.

internal import MAMModel

/// A boolean property of `IntuneMAMPolicy`, or a similar one for questions that programs ask iOS.
/// The raw value is its name.
public enum PolicyProperty: String, Sendable, Hashable, CaseIterable {
    /// Accounts need a passphrase.
    case isPINRequired
    /// Files of the account are encrypted on disk: true for every managed one.
    case isFileEncryptionRequired
    /// A file provider must encrypt the files that it provides.
    case shouldFileProviderEncryptFiles
    /// Links must go to the managed browser.
    case isManagedBrowserRequired
    /// Contacts may be copied to the user's address book.
    case isContactSyncAllowed
    /// Widgets may show data.
    case isWidgetContentSyncAllowed
    /// Content may be indexed for search.
    case isSpotlightIndexingAllowed
    /// Voice assistants may process data.
    case areSiriIntentsAllowed
    /// Shortcuts may process data.
    case areAppIntentsAllowed
    /// Data may be shared with other programs at all.
    case isAppSharingAllowed
    /// The screen may be captured.
    case isScreenCaptureAllowed
    /// Documents may be printed.
    case isPrintingAllowed
    /// Backups may contain the data.
    case isBackupAllowed
    /// Third-party keyboards may be used.
    case areThirdPartyKeyboardsAllowed
    /// Emoji may be generated from the text.
    case isGenmojiAllowed
    /// Writing tools may process the text.
    case areWritingToolsAllowed
}

/// `IntuneMAMSaveLocation`. Its numbers differ from ``OpenLocation``'s.
public enum SaveLocation: Int, Sendable, Hashable, CaseIterable {
    /// Any other location.
    case other = 0
    /// OneDrive for Business.
    case oneDriveForBusiness = 1
    /// SharePoint.
    case sharePoint = 2
    /// Box.
    case box = 4
    /// Dropbox.
    case dropbox = 8
    /// Google Drive.
    case googleDrive = 16
    /// Storage of the workspace.
    case localDrive = 32
    /// The photo library.
    case cameraRoll = 64
    /// A document of an account.
    case accountDocument = 128
    /// iManage.
    case iManage = 256
    /// Egnyte.
    case egnyte = 512
}

/// `IntuneMAMOpenLocation`. Its numbers differ from ``SaveLocation``'s.
public enum OpenLocation: Int, Sendable, Hashable, CaseIterable {
    /// Any other location.
    case other = 0
    /// OneDrive for Business.
    case oneDriveForBusiness = 1
    /// SharePoint.
    case sharePoint = 2
    /// The camera.
    case camera = 4
    /// Storage of the workspace.
    case localStorage = 8
    /// The photo library.
    case photos = 16
    /// A document of an account.
    case accountDocument = 32
    /// Box.
    case box = 64
    /// iManage.
    case iManage = 128
    /// Egnyte.
    case egnyte = 256
}

/// `UIDocumentPickerMode`.
public enum DocumentPickerMode: Int, Sendable, Hashable, CaseIterable {
    /// Imports data.
    case `import`
    /// Opens a document in place.
    case open
    /// Exports a copy.
    case exportToService
    /// Moves the document out.
    case moveToService
}

/// `IntuneMAMNotificationPolicy`.
public enum NotificationPolicy: Int, Sendable, Hashable, CaseIterable {
    /// They may show everything.
    case allow = 0
    /// They may show text that reveals nothing of the content.
    case blockOrganizationalData = 1
    /// No notifications.
    case block = 2
}

extension SaveLocation {
    /// The SDK's name.
    var name: String { SDKName.saveLocations[rawValue] ?? "" }
}

extension OpenLocation {
    /// The SDK's name.
    var name: String { SDKName.openLocations[rawValue] ?? "" }
}
