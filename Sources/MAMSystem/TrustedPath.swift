// Follows paths that other users may control.

internal import Glibc
package import MAMModel

/// Why a path could not be followed.
package enum PathFailure: Error {
    case foreignLink(ByteString, owner: UInt32)
    case failed(Errno)
}

/// Opens the path with `O_PATH`, which works even on a dead mount.
///
/// For root, follows only links that root owns, because another owner could redirect root anywhere.
/// Other users gain nothing from a link that they could not reach directly.
package func openTrusted(_ path: ByteString) throws(PathFailure) -> Descriptor {
    guard !path.bytes.isEmpty else { throw .failed(.noEntry) }
    var here = try openStep(workingDirectory, path.isAbsolute ? "/" : ".")
    var rest = path.components[...]
    var linkCount = 0
    while let name = rest.popFirst() {
        let parent = here
        let next = try withExtendedLifetime(parent) { () throws(PathFailure) in
            try openStep(parent.raw, name.cString)
        }
        guard let target = linkTarget(of: next) else {
            here = next
            continue
        }
        try checkOwner(ofLink: next)
        linkCount += 1
        guard linkCount <= 40 else { throw .failed(.tooManyLinks) }
        if target.isAbsolute { here = try openStep(workingDirectory, "/") }
        rest = (target.components + rest)[...]
    }
    return here
}

private func openStep(
    _ directory: Int32, _ name: UnsafePointer<CChar>
) throws(PathFailure) -> Descriptor {
    do throws(Errno) {
        return try openFile(at: directory, name, openPathOnly | O_NOFOLLOW)
    } catch { throw .failed(error) }
}

/// Nil if it is not a link.
private func linkTarget(of file: Descriptor) -> ByteString? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = withExtendedLifetime(file) { readlinkat(file.raw, "", &buffer, buffer.count) }
    guard count >= 0 else { return nil }
    return ByteString(buffer.prefix(count).map { UInt8(bitPattern: $0) })
}

private func checkOwner(ofLink link: Descriptor) throws(PathFailure) {
    guard geteuid() == 0 else { return }
    let owner: UInt32
    let place: ByteString
    do throws(Errno) {
        (owner, place) = try withExtendedLifetime(link) { () throws(Errno) in
            (try status(at: link.raw, "").st_uid, try currentPath(of: link.raw))
        }
    } catch { throw .failed(error) }
    guard owner == 0 else { throw .foreignLink(place, owner: owner) }
}

extension PathFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .foreignLink(let link, let owner):
            "\(link.shown) is a symbolic link of user \(owner), who could redirect root anywhere;"
                + " use the path without it"
        case .failed(let error): error.description
        }
    }
}

extension ByteString {
    fileprivate var isAbsolute: Bool { bytes.first == UInt8(ascii: "/") }

    fileprivate var components: [ByteString] {
        bytes.split(separator: UInt8(ascii: "/")).map { ByteString(Array($0)) }
    }
}
