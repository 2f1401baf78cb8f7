// Why a file in a mount is refused: open(2) gives a number, the mount's daemon the sentence. All
// verbs say the same, since all ask here (docs/adr/0086-one-refusal.md).

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

/// A call on a file. Its error number becomes a failure that names the file, with the rule if
/// a mount's daemon refused it.
func naming<Value>(
    _ path: ByteString, _ call: @autoclosure () throws(Errno) -> Value
) throws(Failure) -> Value {
    do throws(Errno) { return try call() } catch {
        throw refusal(of: path, after: error) ?? Failure(path, error)
    }
}

func naming<Value>(_ path: ByteString, _ calls: () throws(Errno) -> Value) throws(Failure) -> Value
{
    try naming(path, calls())
}

/// A failure names the file.
func openFile(_ path: ByteString, _ flags: Int32) throws(Failure) -> Descriptor {
    try naming(path, openFile(path.cString, flags))
}

/// The same for a file that is read as a whole.
func readFile(_ path: ByteString, atMost byteCount: Int) throws(Failure) -> [UInt8] {
    try naming(path, readSmallFile(path.cString, maximumByteCount: byteCount))
}

/// One that is there already stays as it is.
func makeDirectory(_ path: ByteString, mode: mode_t) throws(Failure) {
    guard mkdir(path.cString, mode) == 0 || Errno.current == .exists else {
        throw Failure(path, .current)
    }
}

/// Why the mount that a file is in refuses the act to this program; nil if it does not, or cannot
/// say.
func refusal(of act: FileAct, on file: Descriptor, _ path: ByteString) -> Failure? {
    guard let name = workspace(of: file),
        let daemon = try? Daemon(of: name, servingMountOf: file),
        let reply = try? daemon.call(
            Varlink.Workspace.WhyRefused(fileDescriptor: 0, act: act), descriptors: [file])
    else { return nil }
    return reply.refusal.map { Failure(VarlinkError($0), about: .verbatim(path.shown)) }
}

/// The same after a system call that failed.
private func refusal(of path: ByteString, after error: Errno) -> Failure? {
    guard error.mayBeRefusal else { return nil }
    guard let file = try? openFile(path.cString, openPathOnly) else {
        // A file that was to be made, which is refused for what it would be.
        guard ![EBADMSG, EOPNOTSUPP].contains(error.rawValue) else { return nil }
        let parent = try? openFile(path.directory.cString, openPathOnly | O_DIRECTORY)
        return parent.flatMap { refusal(of: .create, on: $0, path) }
    }
    return refusal(of: .read, on: file, path) ?? refusal(of: .write, on: file, path)
        ?? refusal(of: .create, on: file, path)
}

extension Errno {
    /// Whether a mount's daemon refuses with it.
    fileprivate var mayBeRefusal: Bool {
        [EACCES, ENOKEY, EKEYEXPIRED, EKEYREVOKED, EBADMSG, EOPNOTSUPP].contains(rawValue)
    }
}
