// The policy of a new workspace.

internal import MAMModel
internal import MAMWire

/// A Graph `iosManagedAppProtection` with the defaults of the Intune portal: transfers are
/// unrestricted, and data is encrypted while its account is locked. There are two differences. PINs
/// are longer, to withstand a month of guessing (`PinRules.guesses`), as no chip limits the
/// attempts on a copied disk, and may be words if they are long. `deviceComplianceRequired` is
/// missing, as checking it needs a probe.
let defaultPolicy: JSONValue = [
    "@odata.type": "#microsoft.graph.iosManagedAppProtection",
    "displayName": "Default",
    "description": "Written by mamctl init. Replace it by an export of your organisation's policy.",
    "version": "1",
    "periodOfflineBeforeAccessCheck": "PT24H",
    "periodOnlineBeforeAccessCheck": "PT30M",
    "periodOfflineBeforeWipeIsEnforced": "P90D",
    "allowedInboundDataTransferSources": "allApps",
    "allowedOutboundDataTransferDestinations": "allApps",
    "allowedOutboundClipboardSharingLevel": "allApps",
    "allowedOutboundClipboardSharingExceptionLength": 0,
    "organizationalCredentialsRequired": false,
    "dataBackupBlocked": false,
    "deviceComplianceRequired": false,
    "appActionIfDeviceComplianceRequired": "block",
    "managedBrowserToOpenLinksRequired": false,
    "managedBrowser": "notConfigured",
    "saveAsBlocked": false,
    "allowedDataStorageLocations": [],
    "blockDataIngestionIntoOrganizationDocuments": false,
    "allowedDataIngestionLocations": [
        "oneDriveForBusiness", "sharePoint", "camera", "photoLibrary",
    ],
    "pinRequired": true,
    "maximumPinRetries": 5,
    "appActionIfMaximumPinRetriesExceeded": "block",
    "simplePinBlocked": true,
    "mamdLongPinLength": 16,
    "minimumPinLength": 10,
    "pinCharacterSet": "numeric",
    "periodBeforePinReset": "PT0S",
    "contactSyncBlocked": false,
    "printBlocked": false,
    "notificationRestriction": "allow",
    "thirdPartyKeyboardsBlocked": false,
    "appDataEncryptionType": "whenDeviceLocked",
]
