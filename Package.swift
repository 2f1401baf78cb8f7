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
    // The linker leaves out what a program does not use, function by function. A module's interface
    // comes from the same pass as its code: another would read all of it once more, and nobody
    // goes on with the interface before the code is there.
    .unsafeFlags(
        [
            "-Xfrontend", "-function-sections", "-Xfrontend", "-internalize-at-link",
            "-no-emit-module-separately-wmo",
        ],
        .when(configuration: .release)),
]

// And one for C, where a field that is not named is zero, and #embed is known.
let cSettings: [CSetting] = [
    .enableWarning("all"),
    .enableWarning("extra"),
    .disableWarning("missing-field-initializers"),
    .disableWarning("c23-extensions"),
    .treatAllWarnings(as: .error),
]

// The tests are built with the programs, once, and look inside some modules: none of those whose
// functions others inline on the way of a read or a write.
let testable = settings + [.unsafeFlags(["-enable-testing"], .when(configuration: .release))]

// The optimiser's work on what is not in the way of anybody's data was two fifths of the build.
let unoptimised = testable + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

// What is no part of a read or a write is made small, by LLVM alone: Swift's own optimiser took
// more than half of the time, for a quarter of a percent of mamctl (docs/adr/0088).
let forSize = SwiftSetting.unsafeFlags(
    ["-Osize", "-Xfrontend", "-disable-sil-perf-optzns"], .when(configuration: .release))
let small = settings + [forSize]
let smallTestable = testable + [forSize]

func system(_ name: String, _ pkgConfig: String?, debian package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

func module(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil,
    swiftSettings: [SwiftSetting] = settings
) -> Target {
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: swiftSettings)
}

/// `embedded`: files beside the source that it has as bytes.
func cModule(
    _ name: String, _ dependencies: [Target.Dependency] = [], embedded: [String] = []
) -> Target {
    .target(name: name, dependencies: dependencies, exclude: embedded, cSettings: cSettings)
}

func program(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil,
    swiftSettings: [SwiftSetting] = unoptimised
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: path, swiftSettings: swiftSettings,
        // All symbols are bound at the start: binding one later saves the vector registers on the
        // stack, and they may hold plaintext.
        linkerSettings: [
            .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"]),
            // Swift's libraries are in the programs; what Foundation's own are made of is named
            // only where it is compiled for that, too.
            .unsafeFlags(
                [
                    "-static-stdlib", "-Xlinker", "-l_FoundationCollections", "-Xlinker",
                    "-l_FoundationCShims",
                    // Nobody looks a symbol of a program up, and relocations can be packed:
                    // docs/adr/0088.
                    "-Xlinker", "--no-export-dynamic", "-Xlinker", "-z", "-Xlinker",
                    "pack-relative-relocs",
                ],
                .when(configuration: .release)),
        ])
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: unoptimised)
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
        cModule("CContainment", ["CSeccomp", "CShims"]),
        // The parent of the command of `mamctl run`
        cModule("CSupervisor", ["CContainment"]),
        // How FUSE's requests reach the mount
        cModule("CTransport"),
        // What docs/io.mamd.*.varlink says
        cModule("CInterfaces"),
        // Style sheets and scripts of mamctl's pages
        cModule(
            "CPages", embedded: ["fleet.css", "fleet.js", "machines.html", "report.css"]),
        // What a TPM 2.0 chip does for key slots, by libtss2
        cModule("CChip", ["CCrypto"]),
        // The words of a recovery passphrase
        cModule("CWordList", embedded: ["english.txt"]),
        // Values that everything speaks of: errors, names, sentences, identifiers
        module("MAMModel", []),
        module("MAMLocks", ["CShims"]),
        module("MAMSystem", ["MAMModel", "MAMLocks", "CShims"]),
        // What a service tells systemd, and gets from it
        module("MAMService", ["MAMSystem", "CSystemd"]),
        // What people read, in their language
        module("MAMWords", ["MAMModel", "CShims"], swiftSettings: testable),

        // Core
        module("MAMFormat", ["MAMModel", "CDeflate"]),
        module("MAMPolicy", ["MAMModel", "MAMFormat"], swiftSettings: small),
        // settings.json
        module("MAMSettings", ["MAMModel", "MAMPolicy"]),
        module(
            "MAMCrypto",
            ["MAMModel", "MAMLocks", "CCrypto", "CSodium", "CShims", "CWordList"] + ciphers,
            swiftSettings: testable),
        module("MAMAudit", ["MAMModel", "MAMSystem", "CShims"], swiftSettings: testable),

        // Services
        module(
            "MAMKeyring",
            ["MAMModel", "MAMFormat", "MAMCrypto", "MAMSystem", "MAMLocks", "CChip"],
            swiftSettings: testable),
        module("MAMStore", ["MAMModel", "MAMFormat", "MAMCrypto", "MAMSystem", "MAMLocks"]),

        // Who is calling
        module("MAMIdentity", ["MAMModel", "MAMSystem", "MAMLocks"]),
        module(
            "MAMEnrollment", ["MAMModel", "MAMPolicy", "MAMSettings", "MAMSystem"],
            swiftSettings: testable),
        // What an organisation signs, and which of it a machine accepts
        module(
            "MAMFleet", ["MAMModel", "MAMFormat", "MAMCrypto", "MAMPolicy"],
            swiftSettings: small),
        // The engine that carries it: NATS' keys, tokens, subjects and servers' settings
        module("MAMEngine", ["MAMModel", "MAMCrypto", "MAMFleet"], swiftSettings: smallTestable),
        // What an administrator keeps: the organisation's directory, and what machines reported
        module(
            "MAMOffice",
            ["MAMModel", "MAMPolicy", "MAMSystem", "MAMCrypto", "MAMFleet", "MAMEngine"],
            swiftSettings: smallTestable),
        // What an issuer of OpenID Connect signs, and which of it counts
        module("MAMSignIn", ["MAMModel", "MAMCrypto"]),
        // What both ends of the socket share
        module(
            "MAMWire", ["MAMModel", "MAMSystem", "CShims"], swiftSettings: testable),
        // Words and options of a program, what it prints, and how it fails
        module(
            "MAMCommandLine", ["MAMModel", "MAMSystem", "MAMWire", "MAMWords"],
            swiftSettings: small),
        // Where workspaces are: directories, sockets, mounts
        module("MAMPlaces", ["MAMModel", "MAMSystem", "MAMWire", "CShims"]),
        // Desktop entries, types of files, and what opens them
        module("MAMDesktop", ["MAMSystem", "MAMModel"], swiftSettings: small),

        // Use cases
        module(
            "MAMVault",
            [
                "MAMModel", "MAMPolicy", "MAMSettings", "MAMFormat", "MAMCrypto", "MAMSystem",
                "MAMLocks", "MAMAudit", "MAMKeyring", "MAMEnrollment", "MAMStore", "MAMIdentity",
                "MAMFleet", "MAMSignIn", "CShims",
            ]),

        module(
            "MAMTree",
            [
                "MAMModel", "MAMFormat", "MAMCrypto", "MAMSystem", "MAMLocks", "MAMKeyring",
                "MAMStore", "MAMVault", "CShims", "MAMIdentity",
            ]),
        module(
            "MAMWorkspace",
            [
                "MAMModel", "MAMPolicy", "MAMSettings", "MAMFormat", "MAMCrypto", "MAMSystem",
                "MAMAudit", "MAMKeyring", "MAMEnrollment", "MAMIdentity", "MAMFleet", "MAMStore",
                "MAMSignIn", "MAMVault", "MAMTree", "CShims",
            ], swiftSettings: testable),

        // Edges
        module(
            "MAMFuse",
            [
                "MAMSystem", "MAMLocks", "MAMModel", "MAMVault", "MAMTree", "MAMWorkspace",
                "CFuse3", "CTransport", "CShims",
            ]),
        module(
            "MAMControl",
            [
                "MAMModel", "MAMPolicy", "MAMFormat", "MAMCrypto", "MAMSystem", "MAMLocks",
                "MAMAudit", "MAMWire", "MAMKeyring", "MAMEnrollment", "MAMStore", "MAMIdentity",
                "MAMFleet", "MAMSignIn", "MAMVault", "MAMTree", "MAMWorkspace", "CShims",
                "MAMSettings", "CInterfaces",
            ], swiftSettings: testable),
        module("MAMSession", ["MAMSystem", "MAMModel", "CSystemd"]),
        // Connections to the engine, for mamfleet: who uses its values alone links no libnats
        module("MAMNats", ["MAMModel", "CNats"], swiftSettings: unoptimised),
        // Requests over HTTPS
        module("MAMWeb", ["CCurl"], swiftSettings: unoptimised),
        // What programs link that talk to the daemon; its names are the Intune App SDK's
        module(
            "MAMClient", ["MAMModel", "MAMSystem", "MAMPlaces", "MAMWire", "CShims"],
            swiftSettings: testable),

        // Programs
        program(
            "mamd",
            [
                "MAMModel", "MAMCrypto", "MAMPolicy", "MAMSettings", "MAMSystem", "MAMLocks",
                "MAMAudit", "MAMKeyring", "MAMEnrollment", "MAMFleet", "MAMVault", "MAMTree",
                "MAMWorkspace", "MAMFuse", "MAMPlaces", "MAMWire", "MAMControl", "MAMSession",
                "MAMService", "MAMWords", "MAMCommandLine", "CChip", "CShims",
            ], swiftSettings: small),
        program(
            "mamctl",
            [
                "MAMModel", "MAMPolicy", "MAMSettings", "MAMFormat", "MAMCrypto", "MAMSystem",
                "MAMAudit", "MAMKeyring", "MAMFleet", "MAMEngine", "MAMOffice", "MAMStore",
                "MAMPlaces", "MAMDesktop", "MAMWire", "MAMWords", "MAMCommandLine",
                "CPages", "CShims", "CContainment", "CSupervisor",
            ], swiftSettings: small),
        program(
            "mamfleet",
            [
                "MAMModel", "MAMSystem", "MAMCrypto", "MAMFleet", "MAMEngine", "MAMOffice",
                "MAMPlaces", "MAMWire", "MAMCommandLine", "MAMNats", "MAMWeb", "MAMService",
                "CShims",
            ]),
        // The network's part of signing in
        program(
            "mamd-signin",
            [
                "MAMModel", "MAMSystem", "MAMCrypto", "MAMSignIn", "MAMWire", "MAMCommandLine",
                "MAMWeb", "CShims",
            ]),
        program("notes", ["MAMClient"], path: "examples/Notes"),
        // What mambench counts by: it stands before malloc(3), and in no other program.
        cModule("CBench"),
        program(
            "mambench",
            [
                "MAMModel", "MAMFormat", "MAMCrypto", "MAMSystem", "MAMPolicy", "MAMSettings",
                "MAMKeyring", "MAMStore", "MAMIdentity", "MAMVault", "MAMTree", "MAMWorkspace",
                "CBench",
            ],
            // What it captures is not checked at each use: that would count as the parts' cost.
            swiftSettings: settings + [.unsafeFlags(["-enforce-exclusivity=unchecked"])]),

        module("TestSupport", ["MAMCrypto", "MAMSystem", "MAMModel"], path: "Tests/TestSupport"),

        tests("MAMModelTests", ["MAMModel"]),
        tests("MAMPolicyTests", ["TestSupport", "MAMPolicy", "MAMModel"]),
        tests("MAMSettingsTests", ["MAMSettings", "MAMPolicy", "MAMModel"]),
        tests("MAMFormatTests", ["MAMFormat", "MAMModel"]),
        tests("MAMCryptoTests", ["MAMCrypto", "MAMModel"]),
        tests("MAMSystemTests", ["TestSupport", "MAMSystem", "MAMLocks", "MAMModel", "CShims"]),
        tests("MAMWordsTests", ["MAMWords", "MAMSystem", "MAMModel"]),
        tests("MAMAuditTests", ["TestSupport", "MAMAudit", "MAMSystem", "MAMModel"]),
        tests(
            "MAMKeyringTests",
            [
                "TestSupport", "MAMKeyring", "MAMCrypto", "MAMFormat", "MAMSystem", "MAMModel",
                "CChip",
            ]),
        tests(
            "MAMEnrollmentTests",
            [
                "TestSupport", "MAMEnrollment", "MAMPolicy", "MAMSettings", "MAMSystem", "MAMLocks",
                "MAMModel",
            ]),
        tests(
            "MAMStoreTests",
            [
                "TestSupport", "MAMStore", "MAMCrypto", "MAMFormat", "MAMSystem", "MAMLocks",
                "MAMModel",
            ]),
        // A workspace without a mount
        module(
            "WorkspaceSupport",
            [
                "TestSupport", "MAMTree", "MAMWorkspace", "MAMVault", "MAMKeyring", "MAMPolicy",
                "MAMSettings", "MAMCrypto", "MAMFormat", "MAMSystem", "MAMLocks", "MAMModel",
                "MAMEnrollment", "MAMStore",
            ],
            path: "Tests/WorkspaceSupport", swiftSettings: unoptimised),
        tests(
            "MAMVaultTests",
            [
                "TestSupport", "WorkspaceSupport", "MAMWorkspace", "MAMTree", "MAMVault",
                "MAMStore", "MAMKeyring", "MAMIdentity", "MAMEnrollment", "MAMPolicy",
                "MAMSettings", "MAMCrypto", "MAMFormat", "MAMSystem", "MAMLocks", "MAMModel",
                "CShims",
            ]),
        tests(
            "MAMTreeTests",
            [
                "TestSupport", "WorkspaceSupport", "MAMWorkspace", "MAMTree", "MAMVault",
                "MAMStore", "MAMFormat", "MAMSystem", "MAMLocks", "MAMModel",
            ]),
        tests(
            "MAMWorkspaceTests",
            [
                "TestSupport", "WorkspaceSupport", "MAMWorkspace", "MAMTree", "MAMVault",
                "MAMStore", "MAMKeyring", "MAMEnrollment", "MAMIdentity", "MAMPolicy", "MAMFormat",
                "MAMSystem", "MAMLocks", "MAMModel",
            ]),
        tests("MAMFuseTests", ["MAMFuse"]),
        tests(
            "CTransportTests",
            ["TestSupport", "CTransport", "CFuse3", "CShims", "MAMSystem", "MAMModel"]),
        tests(
            "MAMControlTests",
            [
                "TestSupport", "WorkspaceSupport", "MAMControl", "MAMPlaces", "MAMWire", "MAMVault",
                "MAMSystem", "MAMModel", "CShims", "MAMIdentity", "CInterfaces", "MAMPolicy",
                "MAMWorkspace",
            ]),
        tests("MAMWebTests", ["MAMWeb"]),
        tests(
            "MAMEngineTests",
            ["TestSupport", "MAMEngine", "MAMFleet", "MAMCrypto", "MAMModel"]),
        tests("MAMNatsTests", ["MAMNats", "MAMModel", "CNats"]),
        tests("MAMSignInTests", ["MAMSignIn", "MAMModel"]),
        tests("MAMFleetTests", ["MAMFleet", "MAMPolicy", "MAMFormat", "MAMCrypto", "MAMModel"]),
        tests(
            "MAMOfficeTests",
            [
                "TestSupport", "MAMOffice", "MAMEngine", "MAMFleet", "MAMPolicy", "MAMCrypto",
                "MAMSystem", "MAMModel",
            ]),
        tests("MAMPlacesTests", ["TestSupport", "MAMPlaces", "MAMSystem", "MAMModel"]),
        tests("MAMDesktopTests", ["TestSupport", "MAMDesktop", "MAMSystem", "MAMModel"]),
        tests("MAMSessionTests", ["MAMSession", "MAMSystem", "MAMModel"]),
        // Runs on a mounted workspace, for test_client.py
        program("clientcheck", ["MAMClient"], path: "Tests/Client"),
        tests(
            "MAMClientTests",
            ["MAMClient", "MAMPolicy", "MAMWire", "MAMModel", "MAMSystem", "CInterfaces"]),

        // Fuzzing
        .target(
            name: "FuzzChecks",
            dependencies: [
                "MAMModel", "MAMPolicy", "MAMSettings", "MAMFormat", "MAMCrypto", "MAMSystem",
                "MAMKeyring", "MAMStore", "MAMFleet", "MAMEngine", "MAMOffice", "MAMSignIn",
                "MAMVault", "MAMTree", "MAMWire", "MAMControl",
            ],
            path: "Tests/Fuzz/Checks", swiftSettings: unoptimised),
        .testTarget(
            name: "FuzzTests", dependencies: ["FuzzChecks"], path: "Tests/Fuzz/Replay",
            swiftSettings: unoptimised),
    ]
)

// After a change only the tests of what was changed are built and linked: scripts/test quick.
if let wanted = Context.environment["MAMD_TESTS"]?.split(separator: " ") {
    package.targets.removeAll { $0.type == .test && !wanted.contains(Substring($0.name)) }
}

// libFuzzer brings its own `main`, which only `scripts/dev fuzz` links.
if Context.environment["MAMD_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "mamfuzz", dependencies: ["FuzzChecks"], path: "Tests/Fuzz/Fuzzer",
            swiftSettings: settings))
}
