// Protected data inside a file of a mount: a copy of a sealed file or of a stream. The mount shows
// and seals it as it does any content: only the person who copied it knows that it is to be opened.

internal import Glibc
internal import MAMFormat
internal import MAMModel
internal import MAMStore
internal import MAMSystem
internal import MAMWire
internal import MAMWords

/// Its owner; nil if the open file holds none.
func ownerOfDataHeld(in file: Descriptor) -> Identity? {
    guard let size = try? status(of: file.raw).st_size,
        let held = try? FileFacts(of: file, physicalSize: Int64(size), orStream: true)
    else { return nil }
    return held.header?.owner
}

/// The same of an `O_PATH` descriptor; nil also where reading would be refused. `state`: what the
/// daemon says of the file.
func ownerOfDataHeld(in file: Descriptor, _ state: ProtectionState?) -> Identity? {
    guard [.available, .unmanaged, .foreign].contains(state),
        let open = try? reopen(file.raw, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    else { return nil }
    return ownerOfDataHeld(in: open)
}

/// Tells what such a file is, and the way that opens it.
func explainHeld(_ path: ByteString, _ owner: Identity) -> Failure {
    Failure(
        .failure,
        "\(path.shown) holds protected data of \(ByteString(owner.description).shown), which is"
            + " opened only into another file",
        next: "mamctl decrypt \(path.asArgument) -o NEW")
}
