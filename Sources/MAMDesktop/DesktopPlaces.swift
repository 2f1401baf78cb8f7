// The directories where the desktop looks for programs and types.
// https://specifications.freedesktop.org/basedir-spec/latest/

internal import Glibc
package import MAMModel
internal import MAMSystem

/// One user's directories. The first of a list counts most.
package struct DesktopPlaces: Sendable {
    package let dataHome: ByteString
    package let configurationHome: ByteString
    /// Without the user's own.
    private let dataDirectories: [ByteString]
    private let configurationDirectories: [ByteString]
    /// In lower case, such as `gnome`.
    package let desktops: [ByteString]

    /// This process's.
    package static var current: DesktopPlaces {
        DesktopPlaces { name in getenv(name).map { ByteString(cString: $0) } }
    }

    package init(variable: (String) -> ByteString?) {
        let home = variable("HOME") ?? ByteString("/")
        func directory(_ name: String, below: String) -> ByteString {
            list(variable(name)).first ?? home.appending(below)
        }
        func directories(_ name: String, _ usual: String) -> [ByteString] {
            let found = list(variable(name))
            return found.isEmpty ? list(ByteString(usual)) : found
        }
        dataHome = directory("XDG_DATA_HOME", below: ".local/share")
        configurationHome = directory("XDG_CONFIG_HOME", below: ".config")
        dataDirectories = directories("XDG_DATA_DIRS", "/usr/local/share:/usr/share")
        configurationDirectories = directories("XDG_CONFIG_DIRS", "/etc/xdg")
        desktops = parts(variable("XDG_CURRENT_DESKTOP")).map { name in
            ByteString(name.bytes.map { UInt8(truncatingIfNeeded: tolower(Int32($0))) })
        }
    }

    package var allData: [ByteString] { [dataHome] + dataDirectories }

    /// The user's own desktop entries.
    package var ownApplications: ByteString { dataHome.appending("applications") }

    /// Where entries for all users are that hide those of the system's packages.
    package var sharedApplications: ByteString {
        let usual = ByteString("/usr/local/share")
        let found = dataDirectories.map(\.withoutTrailingSlashes)
        return (found.contains(usual) ? usual : found.first ?? usual).appending("applications")
    }

    /// The user's defaults.
    package var ownDefaults: ByteString { configurationHome.appending("mimeapps.list") }

    /// The files with default programs, a desktop's own first.
    package var allDefaults: [ByteString] {
        let names =
            desktops.map { ByteString($0.bytes + Array("-mimeapps.list".utf8)) }
            + [ByteString("mimeapps.list")]
        let directories =
            [configurationHome] + configurationDirectories
            + allData.map { $0.appending("applications") }
        return directories.flatMap { directory in names.map { directory.appending($0) } }
    }
}

private func parts(_ value: ByteString?) -> [ByteString] {
    (value?.bytes ?? []).split(separator: UInt8(ascii: ":")).map { ByteString(Array($0)) }
}

/// Relative paths do not count.
private func list(_ value: ByteString?) -> [ByteString] {
    parts(value).filter { $0.bytes.first == UInt8(ascii: "/") }
}
