// Settings of the Intune SDK for iOS that nothing here acts on.

internal import MAMModel

/// One of them: checked, kept, and shown to whoever asks, so that an app's settings can be taken
/// over as they are.
package struct KeptSetting: Sendable {
    package let name: String
    let kind: Kind
    /// What it says on iOS.
    package let meaning: String

    enum Kind: Sendable {
        case truth, text, colour, texts, seconds, truthOrText
    }

    private init(_ name: String, _ kind: Kind, _ meaning: String) {
        (self.name, self.kind, self.meaning) = (name, kind, meaning)
    }

    package static let all: [KeptSetting] = [
        .init("MAMTelemetryUsePPE", .truth, "Telemetry goes to Microsoft's test service."),
        .init("ADALLogOverrideDisabled", .truth, "The sign-in library keeps a log of its own."),
        .init("IntuneMAMUseMSALOnNextLaunch", .truth, "MSAL signs in, and no longer ADAL."),
        .init("SupportsDarkMode", .truth, "The SDK's screens may be dark."),
        .init("SafariViewControllerBlockedOverride", .truth, "Safari's view may show pages."),
        .init("TreatAllWebViewsAsUnmanaged", .truth, "What a web view shows is nobody's."),
        .init("FinishLaunchingAtStartup", .truth, "The app starts without waiting for the SDK."),
        .init("ADALCacheKeychainGroupOverride", .text, "The keychain group of sign-in tokens."),
        .init("ContainingAppBundleId", .text, "The app that an extension belongs to."),
        .init("SplashIconFile", .text, "The picture of the start screen."),
        .init("SplashIconFile~ipad", .text, "The same on an iPad."),
        .init("MainNibFile", .text, "The app's first interface file."),
        .init("MainNibFile~ipad", .text, "The same on an iPad."),
        .init("MainStoryboardFile", .text, "The app's first storyboard."),
        .init("MainStoryboardFile~ipad", .text, "The same on an iPad."),
        .init("BackgroundColor", .colour, "The ground of the SDK's screens."),
        .init("ForegroundColor", .colour, "The text of the SDK's screens."),
        .init("AccentColor", .colour, "Buttons and marked text of the SDK's screens."),
        .init("SecondaryBackgroundColor", .colour, "The ground of the SDK's second screens."),
        .init("SecondaryForegroundColor", .colour, "The text of the SDK's second screens."),
        .init("AppGroupIdentifiers", .texts, "The groups that share files with the app."),
        .init("WebViewHandledURLSchemes", .texts, "Schemes that the app's web views open."),
        .init("SplashDuration", .seconds, "How long the start screen stays at least."),
        .init("OpenInActionExtension", .truthOrText, "The extension is the SDK's for Open In."),
    ]
}
