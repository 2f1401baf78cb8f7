// swift-tools-version: 6.2
import PackageDescription

// One array for every Swift target: a warning is an error, existentials are spelled out, and a file
// imports all that it uses, publicly only where it must.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// And one for C, where a field that is not named is zero.
let cSettings: [CSetting] = [
    .enableWarning("all"),
    .enableWarning("extra"),
    .disableWarning("missing-field-initializers"),
    .treatAllWarnings(as: .error),
]

func system(_ name: String, _ pkgConfig: String?, debian package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

func module(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil
) -> Target {
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func cModule(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, cSettings: cSettings)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, swiftSettings: settings,
        // All symbols are bound at the start: binding one later saves the vector registers on the
        // stack, and they may hold plaintext.
        linkerSettings: [.unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"])])
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

// Debian has Intel's library where Intel's instructions are.
#if arch(x86_64)
    let vectorLibraries = [system("CIPsecMB", nil, debian: "libipsec-mb-dev")]
#else
    let vectorLibraries: [Target] = []
#endif
let ciphers = vectorLibraries.map { Target.Dependency(stringLiteral: $0.name) }

// From the bottom up: a target depends only on what stands above it in this list.
let package = Package(
    name: "mamd",
    products: [
        .executable(name: "mamd", targets: ["mamd"]),
        .executable(name: "mamctl", targets: ["mamctl"]),
        .executable(name: "mamfleet", targets: ["mamfleet"]),
        .executable(name: "mamd-signin", targets: ["mamd-signin"]),
        .library(name: "MAMClient", targets: ["MAMClient"]),
    ],
    targets: vectorLibraries + [
        // Ground
        system("CFuse3", "fuse3", debian: "libfuse3-dev"),
        system("CCrypto", "libcrypto", debian: "libssl-dev"),
        system("CSodium", "libsodium", debian: "libsodium-dev"),
        system("CDeflate", "libdeflate", debian: "libdeflate-dev"),
        system("CSystemd", "libsystemd", debian: "libsystemd-dev"),
        system("CSeccomp", "libseccomp", debian: "libseccomp-dev"),
        system("CNats", "libnats", debian: "libnats-dev"),
        system("CCurl", "libcurl", debian: "libcurl4-openssl-dev"),
        cModule("CShims"),
        // What the kernel lets a contained command do
        cModule("CContainment", ["CSeccomp"]),
        // The parent of the command of `mamctl run`
        cModule("CSupervisor", ["CContainment"]),
        // How FUSE's requests reach the mount
        cModule("CTransport"),
        module("MAMSystem", ["CShims", "CSystemd"]),
        // What people read, in their language
        module("MAMWords", ["MAMSystem", "CShims"]),
        module("MAMModel", ["MAMWords"]),

        // Core
        module("MAMFormat", ["MAMModel", "CDeflate"]),
        module("MAMPolicy", ["MAMModel", "MAMFormat", "MAMWords"]),
        // settings.json
        module("MAMSettings", ["MAMModel", "MAMPolicy"]),
        module("MAMCrypto", ["MAMModel", "MAMSystem", "CCrypto", "CSodium", "CShims"] + ciphers),
        module("MAMAudit", ["MAMModel", "MAMSystem", "CShims"]),

        // Services
        module("MAMKeyring", ["MAMModel", "MAMFormat", "MAMCrypto", "MAMSystem", "MAMWords"]),
        module("MAMStore", ["MAMModel", "MAMFormat", "MAMCrypto", "MAMSystem", "MAMWords"]),

        // Who is calling
        module("MAMIdentity", ["MAMModel", "MAMSystem"]),
        module(
            "MAMEnrollment", ["MAMModel", "MAMPolicy", "MAMSettings", "MAMSystem", "MAMWords"]),
        // What an organisation signs, and which of it a machine accepts
        module("MAMFleet", ["MAMModel", "MAMCrypto", "MAMWords"]),
        // What carries it: bundles, the engine's keys and subjects, the organisation's directory
        module("MAMCarrier", ["MAMModel", "MAMSystem", "MAMCrypto", "MAMFleet", "MAMWords"]),
        // What an organisation's machines have reported, against what it has signed
        module("MAMSurvey", ["MAMModel", "MAMSystem", "MAMFleet", "MAMCarrier"]),
        // What an issuer of OpenID Connect signs, and which of it counts
        module("MAMSignIn", ["MAMModel", "MAMCrypto", "MAMWords"]),
        // Where workspaces are: directories, sockets, mounts
        module("MAMPlaces", ["MAMModel", "MAMSystem"]),
        // Desktop entries, types of files, and what opens them
        module("MAMDesktop", ["MAMSystem"]),
        // What both ends of the socket share
        module("MAMWire", ["MAMModel", "MAMSystem", "CShims", "MAMWords"]),

        // Use cases
        module(
            "MAMVault",
            [
                "MAMModel", "MAMPolicy", "MAMSettings", "MAMFormat", "MAMCrypto", "MAMSystem",
                "MAMAudit", "MAMKeyring", "MAMEnrollment", "MAMStore", "MAMIdentity", "MAMFleet",
                "MAMSignIn", "MAMWords", "CShims",
            ]),

        module(
            "MAMTree", ["MAMModel", "MAMFormat", "MAMSystem", "MAMStore", "MAMVault", "CShims"]),
        module(
            "MAMWorkspace",
            [
                "MAMModel", "MAMPolicy", "MAMSettings", "MAMFormat", "MAMCrypto", "MAMSystem",
                "MAMAudit", "MAMKeyring", "MAMEnrollment", "MAMIdentity", "MAMFleet", "MAMStore",
                "MAMSignIn", "MAMVault", "MAMTree", "MAMWords", "CShims",
            ]),

        // Edges
        module(
            "MAMFuse",
            [
                "MAMSystem", "MAMVault", "MAMTree", "MAMWorkspace", "CFuse3", "CTransport",
                "CShims",
            ]),
        module(
            "MAMControl",
            [
                "MAMModel", "MAMPolicy", "MAMFormat", "MAMCrypto", "MAMSystem", "MAMAudit",
                "MAMWire", "MAMKeyring", "MAMEnrollment", "MAMStore", "MAMIdentity", "MAMFleet",
                "MAMSignIn", "MAMVault", "MAMTree", "MAMWorkspace", "MAMWords", "CShims",
            ]),
        module("MAMSession", ["MAMSystem", "CSystemd"]),
        // Requests over HTTPS
        module("MAMWeb", ["CCurl"]),
        // How the fleet's documents get to machines, and reports back: NATS, HTTPS
        module("MAMEngine", ["MAMModel", "MAMWeb", "CNats"]),
        // What programs link that talk to the daemon; its names are the Intune App SDK's
        module(
            "MAMClient", ["MAMModel", "MAMSystem", "MAMPlaces", "MAMWire", "MAMWords", "CShims"]),

        // Programs
        program(
            "mamd",
            [
                "MAMModel", "MAMCrypto", "MAMPolicy", "MAMSettings", "MAMSystem", "MAMAudit",
                "MAMKeyring", "MAMEnrollment", "MAMFleet", "MAMSignIn", "MAMVault", "MAMTree",
                "MAMWorkspace", "MAMFuse", "MAMPlaces", "MAMWire", "MAMControl", "MAMSession",
                "MAMWords", "CShims",
            ]),
        program(
            "mamctl",
            [
                "MAMModel", "MAMPolicy", "MAMSettings", "MAMFormat", "MAMCrypto", "MAMSystem",
                "MAMAudit", "MAMKeyring", "MAMFleet", "MAMCarrier", "MAMSurvey", "MAMStore",
                "MAMPlaces", "MAMDesktop", "MAMWire", "MAMWords",
                "CShims", "CContainment", "CSupervisor",
            ]),
        program(
            "mamfleet",
            [
                "MAMModel", "MAMSystem", "MAMCrypto", "MAMFleet", "MAMCarrier", "MAMPlaces",
                "MAMWire", "MAMEngine", "CShims",
            ]),
        // The network's part of signing in
        program(
            "mamd-signin",
            [
                "MAMModel", "MAMSystem", "MAMCrypto", "MAMSignIn", "MAMWire", "MAMWeb", "CShims",
            ]),
        .executableTarget(
            name: "notes", dependencies: ["MAMClient"], path: "Examples/Notes",
            swiftSettings: settings),
        // What mambench counts by: it stands before malloc(3), and in no other program.
        cModule("CBench"),
        program(
            "mambench",
            [
                "MAMModel", "MAMFormat", "MAMCrypto", "MAMSystem", "MAMPolicy", "MAMSettings",
                "MAMKeyring", "MAMStore", "MAMIdentity", "MAMVault", "MAMTree", "MAMWorkspace",
                "CBench",
            ]),

        module("TestSupport", ["MAMSystem"], path: "Tests/TestSupport"),

        tests("MAMModelTests", ["MAMModel"]),
        tests("MAMPolicyTests", ["TestSupport", "MAMPolicy", "MAMFormat", "MAMModel", "MAMWords"]),
        tests("MAMSettingsTests", ["MAMSettings", "MAMPolicy", "MAMModel"]),
        tests("MAMFormatTests", ["MAMFormat", "MAMModel"]),
        tests("MAMCryptoTests", ["MAMCrypto", "MAMModel"]),
        tests("MAMSystemTests", ["TestSupport", "MAMSystem", "MAMModel"]),
        tests("MAMWordsTests", ["MAMWords", "MAMSystem"]),
        tests("MAMAuditTests", ["TestSupport", "MAMAudit", "MAMSystem", "MAMModel"]),
        tests(
            "MAMKeyringTests",
            [
                "TestSupport", "MAMKeyring", "MAMCrypto", "MAMFormat", "MAMSystem", "MAMModel",
                "MAMWords",
            ]),
        tests(
            "MAMEnrollmentTests",
            ["TestSupport", "MAMEnrollment", "MAMPolicy", "MAMSettings", "MAMSystem", "MAMModel"]),
        tests(
            "MAMStoreTests",
            ["TestSupport", "MAMStore", "MAMCrypto", "MAMFormat", "MAMSystem", "MAMModel"]),
        // A workspace without a mount
        module(
            "WorkspaceSupport",
            [
                "TestSupport", "MAMTree", "MAMWorkspace", "MAMVault", "MAMKeyring", "MAMPolicy",
                "MAMSettings", "MAMCrypto", "MAMFormat", "MAMSystem", "MAMModel",
            ],
            path: "Tests/WorkspaceSupport"),
        tests(
            "MAMVaultTests",
            [
                "TestSupport", "WorkspaceSupport", "MAMWorkspace", "MAMTree", "MAMVault",
                "MAMStore",
                "MAMKeyring", "MAMIdentity", "MAMEnrollment", "MAMPolicy", "MAMSettings",
                "MAMCrypto", "MAMFormat", "MAMSystem", "MAMModel", "MAMWords", "CShims",
            ]),
        tests(
            "MAMTreeTests",
            [
                "TestSupport", "WorkspaceSupport", "MAMWorkspace", "MAMTree", "MAMVault",
                "MAMStore",
                "MAMFormat", "MAMSystem", "MAMModel",
            ]),
        tests(
            "MAMWorkspaceTests",
            [
                "TestSupport", "WorkspaceSupport", "MAMWorkspace", "MAMTree", "MAMVault",
                "MAMStore", "MAMKeyring",
                "MAMEnrollment", "MAMIdentity", "MAMPolicy", "MAMSettings", "MAMCrypto",
                "MAMFormat", "MAMSystem", "MAMModel", "MAMWords",
            ]),
        tests("MAMFuseTests", ["MAMFuse"]),
        tests("CTransportTests", ["TestSupport", "CTransport", "CFuse3", "CShims", "MAMSystem"]),
        tests(
            "MAMControlTests",
            [
                "TestSupport", "WorkspaceSupport", "MAMControl", "MAMPlaces", "MAMWire", "MAMVault",
                "MAMSystem", "MAMModel", "MAMWords",
            ]),
        tests("MAMEngineTests", ["MAMEngine", "CNats"]),
        tests("MAMSignInTests", ["MAMSignIn", "MAMCrypto", "MAMModel"]),
        tests("MAMFleetTests", ["MAMFleet", "MAMCrypto", "MAMModel"]),
        tests(
            "MAMCarrierTests",
            ["TestSupport", "MAMCarrier", "MAMFleet", "MAMCrypto", "MAMSystem", "MAMModel"]),
        tests(
            "MAMSurveyTests",
            [
                "TestSupport", "MAMSurvey", "MAMCarrier", "MAMFleet", "MAMCrypto", "MAMSystem",
                "MAMModel",
            ]),
        tests("MAMPlacesTests", ["TestSupport", "MAMPlaces", "MAMSystem", "MAMModel"]),
        tests("MAMDesktopTests", ["TestSupport", "MAMDesktop", "MAMSystem"]),
        tests("MAMSessionTests", ["MAMSession", "MAMSystem"]),
        // Runs on a mounted workspace, for test_client.py
        .executableTarget(
            name: "clientcheck", dependencies: ["MAMClient"], path: "Tests/Client",
            swiftSettings: settings),
        tests("MAMClientTests", ["MAMClient", "MAMPolicy", "MAMWire", "MAMModel", "MAMSystem"]),

        // Fuzzing
        .target(
            name: "FuzzChecks",
            dependencies: [
                "MAMModel", "MAMPolicy", "MAMSettings", "MAMFormat", "MAMCrypto", "MAMSystem",
                "MAMKeyring", "MAMStore", "MAMFleet", "MAMCarrier", "MAMSignIn", "MAMVault",
                "MAMTree", "MAMWire", "MAMControl",
            ],
            path: "Tests/Fuzz/Checks", swiftSettings: settings),
        .testTarget(
            name: "FuzzTests", dependencies: ["FuzzChecks"], path: "Tests/Fuzz/Replay",
            swiftSettings: settings),
    ]
)

// libFuzzer brings its own `main`, which only `scripts/dev fuzz` links.
if Context.environment["MAMD_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "mamfuzz", dependencies: ["FuzzChecks"], path: "Tests/Fuzz/Fuzzer",
            swiftSettings: settings))
}
