// gettext's catalogue, domain `mamctl`.

internal import CShims
internal import Glibc
package import MAMModel

package enum Catalogue {
    /// Takes the language from `LANGUAGE`, `LC_ALL`, `LC_MESSAGES` or `LANG`, and the catalogue
    /// from `TEXTDOMAINDIR`, else from what is installed beside the program. Without this there is
    /// only English. Call it before any thread starts.
    package static func open(besides program: ByteString?) {
        let named = getenv("TEXTDOMAINDIR").map { ByteString(cString: $0) }
        let installed = program?.directory.directory.appending("share/locale")
        let place = named.flatMap { $0.bytes.isEmpty ? nil : $0 } ?? installed
        mam_words_open(place?.cString)
    }

    static func words(for message: String) -> String? {
        message.isEmpty ? nil : mam_words_for(message).map { String(cString: $0) }
    }

    static func words(for one: String, _ many: String, _ count: Int) -> String? {
        mam_words_for_count(one, many, count.magnitude).map { String(cString: $0) }
    }

    static func words(for error: Errno) -> String? {
        mam_words_for_error(error.rawValue).map { String(cString: $0) }
    }
}
