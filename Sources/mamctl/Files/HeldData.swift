// Protected data inside a file of a mount: a copy of a sealed file or of a stream. The mount shows
// and seals it as it does any content: only the person who copied it knows that it is to be opened.

internal import Glibc
internal import MAMCommandLine
internal import MAMFormat
internal import MAMModel
internal import MAMStore
internal import MAMSystem
internal import MAMWire

/// Its owner; nil if the open file holds none.
func ownerOfDataHeld(in file: Descriptor) -> Identity? {
    guard let size = sizeOfHolder(file), let held = try? FileFacts(heldIn: file, size: size) else {
        return nil
    }
    return held.header?.owner
}

/// Nil if a header has no room in it.
private func sizeOfHolder(_ file: Descriptor) -> Int64? {
    guard let size = try? status(of: file.raw).st_size, size >= StreamForm.minimumByteCount else {
        return nil
    }
    return Int64(size)
}

/// The same of an `O_PATH` descriptor; nil also where reading would be refused. `state`: what the
/// daemon says of the file.
func ownerOfDataHeld(in file: Descriptor, _ state: ProtectionState?) -> Identity? {
    // Each file costs three requests to the mount.
    guard [.available, .unmanaged, .foreign].contains(state), sizeOfHolder(file) != nil,
        let open = try? reopen(file.raw, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    else { return nil }
    return ownerOfDataHeld(in: open)
}

/// Tells what such a file is, and the way that opens it.
func explainHeld(_ path: ByteString, _ owner: Identity) -> Failure {
    Failure(
        .failure,
        "\(path.shown) holds protected data of \(shown(owner.description)), which is"
            + " opened only into another file",
        next: "mamctl decrypt \(path.asArgument) -o NEW")
}
