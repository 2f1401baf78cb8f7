// Keybags, as `STATE/keybags` has them: each twice.

import MAMKeyring
import MAMModel
import MAMSystem

/// Nil if it is missing, damaged or newer.
func readKeybag(_ path: String) -> Keybag? {
    guard let bytes = try? readSmallFile(path, maximumByteCount: Keybag.maximumByteCount) else {
        return nil
    }
    return try? Keybag.decode(bytes.span.bytes)
}

/// The newer one of the two.
func readNewestKeybag(_ path: String) -> Keybag? {
    [path, "\(path).copy"].compactMap(readKeybag).max { $0.generation < $1.generation }
}
