// How one mount's requests arrive from the kernel.

internal import CTransport
internal import MAMModel
internal import MAMSystem

/// Owns the context that CTransport's functions and libfuse's session use.
///
/// Must outlive every thread that may be serving a request.
final class RequestTransport: @unchecked Sendable {
    // CTransport guards what its threads share; the pointer never changes.
    let context: OpaquePointer

    init() throws(Errno) {
        guard let context = mam_transport_new() else { throw .current }
        self.context = context
    }

    deinit { mam_transport_free(context) }
}
