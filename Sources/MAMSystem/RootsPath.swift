// Paths whose file nobody but root can change or replace.

package import Glibc
package import MAMModel

/// What lets somebody else put another file in the place of a path's.
package struct PathFlaw: Error, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        case notAbsolute, link, notFile
        case ownedBy(UInt32)
        case writable
        case failed(Errno)
    }

    /// The part of the path that has it.
    package let place: ByteString
    package let kind: Kind

    package var description: String {
        switch kind {
        case .notAbsolute: "'\(place.shown)' is no absolute path"
        case .link: "\(place.shown) is a symbolic link"
        case .notFile: "\(place.shown) is no regular file"
        case .ownedBy(let user): "\(place.shown) belongs to uid \(user), not to root"
        case .writable: "others than root can write to \(place.shown)"
        case .failed(let error): "\(place.shown): \(error)"
        }
    }
}

/// The status of a regular file. Root must own it and all directories above it, and nobody else may
/// write to any of them: no group, and no entry of an ACL, whose mask the mode shows.
package func statusOfRootsFile(at path: ByteString) throws(PathFlaw) -> stat {
    guard path.bytes.first == UInt8(ascii: "/") else {
        throw PathFlaw(place: path, kind: .notAbsolute)
    }
    let places = sequence(first: path) { $0.directory == $0 ? nil : $0.directory }
    // From the root: nothing below a directory of somebody else's is looked up.
    var last = stat()
    for place in places.reversed() { last = try statusOfRoots(at: place) }
    guard last.st_mode & S_IFMT == S_IFREG else { throw PathFlaw(place: path, kind: .notFile) }
    return last
}

private func statusOfRoots(at place: ByteString) throws(PathFlaw) -> stat {
    let found: stat
    do throws(Errno) { found = try status(at: workingDirectory, place.cString) } catch {
        throw PathFlaw(place: place, kind: .failed(error))
    }
    if found.st_mode & S_IFMT == S_IFLNK { throw PathFlaw(place: place, kind: .link) }
    if found.st_uid != 0 { throw PathFlaw(place: place, kind: .ownedBy(found.st_uid)) }
    if found.st_mode & 0o022 != 0 { throw PathFlaw(place: place, kind: .writable) }
    return found
}
