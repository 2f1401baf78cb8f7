// Asks this machine's TPM 2.0 chip to seal a secret, and to open it again.

internal import CChip
internal import Glibc
internal import MAMCrypto
internal import MAMModel
internal import MAMSystem

/// The chip, behind a program of its own: what the chip's library leaves in memory ends with it,
/// and it can be stopped where the chip does not answer.
package struct Chip: Sendable {
    /// Fills the reply to a request, of the sizes that chip.h says.
    let ask: @Sendable (_ request: SecretBytes, _ reply: SecretBytes) throws(Errno) -> Void
    /// The TCTI, which leads to the chip: tss2-tctildr(3).
    var transport = Self.device

    private static let device = "device:/dev/tpmrm0"

    /// There is none.
    package static let absent = Chip { _, reply throws(Errno) in
        reply.withMutableBytes {
            $0.storeBytes(
                of: MAM_CHIP_NONE.rawValue,
                toByteOffset: MemoryLayout<mam_chip_reply>.offset(of: \.end) ?? 0, as: UInt32.self)
        }
    }

    /// `program`: calls `mam_chip_serve`. Who sets the daemon's environment may name another chip,
    /// and so gets the PINs: nobody else does.
    package static func asked(by program: [String]) -> Chip {
        var chip = Chip { request, reply throws(Errno) in
            try ChipProcess(program).ask(request, reply)
        }
        if let other = getenv("MAMD_TCTI") { chip.transport = String(cString: other) }
        return chip
    }
}

/// One that was started for one request.
private struct ChipProcess {
    /// A slow chip takes a few seconds to make a key.
    private static let timeoutSeconds = 30

    private let process: pid_t
    private let requests: Descriptor
    private let replies: Descriptor

    init(_ program: [String]) throws(Errno) {
        let (reader, requests) = try makePipe()
        let (replies, writer) = try makePipe()
        process = try spawn(
            program.map { ByteString($0) },
            files: [reader.raw: STDIN_FILENO, writer.raw: STDOUT_FILENO], inNewSession: true,
            environment: [ByteString("TSS2_LOG=all+none")], resettingSignals: true)
        (self.requests, self.replies) = (requests, replies)
    }

    func ask(_ request: SecretBytes, _ reply: SecretBytes) throws(Errno) {
        var isDone = false
        defer {
            if !isDone { kill(process, SIGKILL) }
            _ = try? wait(for: process)
        }
        // A pipe has room for all of it.
        try request.withBytes { bytes throws(Errno) in try writeAll(bytes, to: requests.raw) }
        try reply.withMutableBytes { room throws(Errno) in try read(into: room) }
        isDone = true
    }

    private func read(into room: UnsafeMutableRawBufferPointer) throws(Errno) {
        let deadline = Deadline(seconds: Self.timeoutSeconds)
        var done = 0
        while done < room.count {
            var waiting = pollfd(fd: replies.raw, events: Int16(POLLIN), revents: 0)
            let wait = Int32(deadline.secondsLeft) * 1000
            guard try retrying({ poll(&waiting, 1, wait) }) > 0 else { throw .timedOut }
            let count = try retrying {
                Glibc.read(replies.raw, room.baseAddress.map { $0 + done }, room.count - done)
            }
            guard count > 0 else { throw .ioError }
            done += count
        }
    }
}

// MARK: Requests

extension Chip {
    /// `pin`: authValue, of 32 bytes.
    func seal(
        _ secret: SecretBytes, pin: SecretBytes?, pcrs: UInt32
    ) throws(ChipRefusal) -> ChipSeal {
        let reply = try answer(MAM_CHIP_SEAL, pin: pin) { request in
            copy(secret, to: &request.pointee.secret)
            request.pointee.sealed.pcrs = pcrs
        }
        return reply.reading { ChipSeal($0.pointee.sealed) }
    }

    func unseal(_ seal: ChipSeal, pin: SecretBytes?) throws(ChipRefusal) -> SecretBytes {
        let reply = try answer(MAM_CHIP_UNSEAL, pin: pin) { request in
            seal.write(to: &request.pointee.sealed)
        }
        return reply.reading { reply in
            withUnsafeBytes(of: &reply.pointee.secret) { SecretBytes(copying: $0) }
        }
    }

    private func answer(
        _ act: mam_chip_act, pin: SecretBytes?,
        _ fill: (UnsafeMutablePointer<mam_chip_request>) -> Void
    ) throws(ChipRefusal) -> SecretBytes {
        let request = SecretBytes(count: MemoryLayout<mam_chip_request>.size)
        let reply = SecretBytes(count: MemoryLayout<mam_chip_reply>.size)
        request.writing { (request: UnsafeMutablePointer<mam_chip_request>) in
            request.pointee.act = act.rawValue
            request.pointee.has_pin = pin == nil ? 0 : 1
            if let pin { copy(pin, to: &request.pointee.pin) }
            copy(Array(transport.utf8), to: &request.pointee.transport)
            fill(request)
        }
        do throws(Errno) { try ask(request, reply) } catch {
            throw error == .timedOut ? .silent : .notAsked(error)
        }
        try reply.reading { (reply: UnsafeMutablePointer<mam_chip_reply>) throws(ChipRefusal) in
            if let refusal = ChipRefusal(reply.pointee) { throw refusal }
        }
        return reply
    }
}

extension SecretBytes {
    fileprivate func writing<Record>(_ body: (UnsafeMutablePointer<Record>) -> Void) {
        withMutableBytes { bytes in
            guard let record = bytes.assumingMemoryBound(to: Record.self).baseAddress else {
                return
            }
            body(record)
        }
    }

    fileprivate func reading<Value, Failure: Error>(
        _ body: (UnsafeMutablePointer<mam_chip_reply>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try withMutableBytes { bytes throws(Failure) in
            guard let reply = bytes.assumingMemoryBound(to: mam_chip_reply.self).baseAddress else {
                preconditionFailure("a reply has an address")
            }
            return try body(reply)
        }
    }
}

// MARK: C's arrays

/// What does not fit is left out: the sizes are fixed.
private func copy<Room>(_ secret: SecretBytes, to room: inout Room) {
    withUnsafeMutableBytes(of: &room) { room in
        secret.withBytes { room.copyBytes(from: $0.prefix(room.count)) }
    }
}

private func copy<Room>(_ bytes: [UInt8], to room: inout Room) {
    withUnsafeMutableBytes(of: &room) { $0.copyBytes(from: bytes.prefix($0.count)) }
}

private func bytes<Field>(_ field: Field, _ count: Int) -> [UInt8] {
    withUnsafeBytes(of: field) { Array($0.prefix(count)) }
}

extension ChipSeal {
    fileprivate init(_ sealed: mam_chip_sealed) {
        self.init(
            pcrs: sealed.pcrs, parent: bytes(sealed.parent, Self.nameByteCount),
            publicPart: bytes(sealed.public_part, Int(sealed.public_count)),
            privatePart: bytes(sealed.private_part, Int(sealed.private_count)))
    }

    fileprivate func write(to sealed: inout mam_chip_sealed) {
        sealed.pcrs = pcrs
        sealed.public_count = UInt16(publicPart.count)
        sealed.private_count = UInt16(privatePart.count)
        copy(parent, to: &sealed.parent)
        copy(publicPart, to: &sealed.public_part)
        copy(privatePart, to: &sealed.private_part)
    }
}
