// The names of the SDK's properties, locations and modes.

/// A yes-or-no property of `IntuneMAMPolicy`, or one like it where iOS itself is asked. The raw
/// value is its name.
public enum PolicyProperty: String, Sendable, Hashable, CaseIterable {
    /// Accounts need a passphrase.
    case isPINRequired
    /// Files of the account are encrypted on disk: true of every managed one.
    case isFileEncryptionRequired
    /// A file provider must encrypt what it hands out.
    case shouldFileProviderEncryptFiles
    /// Links must go to the managed browser.
    case isManagedBrowserRequired
    /// Contacts may be copied to the person's address book.
    case isContactSyncAllowed
    /// Widgets may show data.
    case isWidgetContentSyncAllowed
    /// Content may be indexed for searches.
    case isSpotlightIndexingAllowed
    /// Voice assistants may carry data.
    case areSiriIntentsAllowed
    /// Shortcuts may carry data.
    case areAppIntentsAllowed
    /// Data may be offered to other programs at all.
    case isAppSharingAllowed
    /// The screen may be captured.
    case isScreenCaptureAllowed
    /// Documents may be printed.
    case isPrintingAllowed
    /// Backups may hold the data.
    case isBackupAllowed
    /// Keyboards of others may be used.
    case areThirdPartyKeyboardsAllowed
    /// Emoji may be generated of the text.
    case isGenmojiAllowed
    /// Writing tools may be given the text.
    case areWritingToolsAllowed
}

/// `IntuneMAMSaveLocation`. Its numbers are others than ``OpenLocation``'s.
public enum SaveLocation: Int, Sendable, Hashable, CaseIterable {
    /// Any place that has no name here.
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

/// `IntuneMAMOpenLocation`. Its numbers are others than ``SaveLocation``'s.
public enum OpenLocation: Int, Sendable, Hashable, CaseIterable {
    /// Any place that has no name here.
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
    /// Takes data in.
    case `import`
    /// Opens a document where it is.
    case open
    /// Gives a copy away.
    case exportToService
    /// Gives the document away.
    case moveToService
}

/// `IntuneMAMNotificationPolicy`.
public enum NotificationPolicy: Int, Sendable, Hashable, CaseIterable {
    /// They may show everything.
    case allow = 0
    /// Text that says nothing of the content.
    case blockOrganizationalData = 1
    /// None at all.
    case block = 2
}

extension SaveLocation {
    /// The SDK's name.
    var name: String { sdkName("\(self)") }
}

extension OpenLocation {
    /// The SDK's name.
    var name: String { sdkName("\(self)") }
}

private func sdkName(_ swiftName: String) -> String {
    swiftName.prefix(1).uppercased() + swiftName.dropFirst()
}
