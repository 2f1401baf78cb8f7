// A bundle's data on the machine.

internal import Glibc
internal import MAMCrypto
internal import MAMModel
internal import MAMSystem

func systemDiagnostics() -> JSONValue {
    let crypto = cryptoVersions
    return [
        "mamctl": .string(productVersion), "swift": .string(swiftVersion),
        "kernel": JSONValue(firstLine(of: "/proc/sys/kernel/osrelease")),
        "distribution": JSONValue(osRelease("PRETTY_NAME")), "openssl": .string(crypto.openSSL),
        "libsodium": .string(crypto.sodium), "ipsecMB": JSONValue(vectorLibraryVersion),
        "libfuse": JSONValue(fuseVersion),
        "fuseDevice": .string(access("/dev/fuse", R_OK | W_OK) == 0 ? "usable" : "not usable"),
        "uid": JSONValue(geteuid()),
    ]
}

private var swiftVersion: String {
    #if compiler(>=6.3)
        "6.3 or later"
    #elseif compiler(>=6.2)
        "6.2"
    #else
        "before 6.2"
    #endif
}

/// `fusermount3 version: 3.14.0`
private var fuseVersion: String? {
    output(of: ["fusermount3", "--version"]).flatMap { bytes in
        String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).last
            .map(String.init)
    }
}

func firstLine(of path: String) -> String? {
    let bytes = try? readSmallFile(path, maximumByteCount: 65_536)
    return bytes.map { String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self) }
}
