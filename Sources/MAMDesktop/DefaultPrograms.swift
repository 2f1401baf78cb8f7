// Which programs open files of a type: mimeapps.list.
// https://specifications.freedesktop.org/mime-apps-spec/latest/

package import MAMModel
internal import MAMSystem

private let defaults = "Default Applications"

private let group = "Default Applications"

/// What the lists say.
package struct DefaultPrograms: Sendable {
    private let lists: [KeyFile]

    package init(in places: DesktopPlaces) {
        lists = places.allDefaults.compactMap {
            try? readSmallFile($0.cString, maximumByteCount: 1 << 20)
        }.map { KeyFile(parsing: $0) }
    }

    /// Names of desktop entries, the first choice first.
    package func ids(for type: ByteString) -> [ByteString] {
        [defaults, "Added Associations"].flatMap { group in
            lists.flatMap { $0.ids(for: type, in: group) }
        }
    }
}

extension KeyFile {
    fileprivate func ids(for type: ByteString, in group: String) -> [ByteString] {
        entries(in: group).filter { $0.key == type }
            .flatMap { $0.value.listedValues }.compactMap { DesktopEntries.id(ofFile: $0) }
    }

    /// Makes a program the first choice for files of these types. The former ones stay behind it.
    package mutating func makeDefault(_ file: ByteString, for types: [ByteString]) {
        for type in types.compactMap(\.text) {
            let others = value(type, in: defaults)?.listedValues.filter { $0 != file } ?? []
            set(type, to: listValue(of: [file] + others), in: defaults)
        }
    }

    /// Removes a program from the choices for all types.
    package mutating func dropDefault(_ file: ByteString) {
        change(in: ByteString(defaults)) { _, value in
            let names = value.listedValues
            guard names.contains(file) else { return value }
            let others = names.filter { $0 != file }
            return others.isEmpty ? nil : listValue(of: others)
        }
    }
}
