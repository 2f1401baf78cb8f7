// How the requests of one mount come from the kernel.

internal import CTransport
internal import MAMSystem

/// Owns the context that CTransport's functions and libfuse's session get.
///
/// To be kept for as long as a thread may be at a request.
final class RequestTransport: @unchecked Sendable {
    // CTransport guards what its threads share; the pointer never changes.
    let context: OpaquePointer

    init() throws(Errno) {
        guard let context = mam_transport_new() else { throw .current }
        self.context = context
    }

    deinit { mam_transport_free(context) }
}
