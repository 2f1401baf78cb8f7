// The SDK's names, by its numbers: policy decides about them, the socket has them, and the client
// library has types of its own for them.

package enum SDKName {
    /// `IntuneMAMSaveLocation`.
    package static let saveLocations = [
        0: "Other", 1: "OneDriveForBusiness", 2: "SharePoint", 4: "Box", 8: "Dropbox",
        16: "GoogleDrive", 32: "LocalDrive", 64: "CameraRoll", 128: "AccountDocument",
        256: "IManage", 512: "Egnyte",
    ]
    /// `IntuneMAMOpenLocation`, which numbers the same services differently.
    package static let openLocations = [
        0: "Other", 1: "OneDriveForBusiness", 2: "SharePoint", 4: "Camera", 8: "LocalStorage",
        16: "Photos", 32: "AccountDocument", 64: "Box", 128: "IManage", 256: "Egnyte",
    ]
}
