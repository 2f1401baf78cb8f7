// A passphrase on its way from the user to the daemon.

internal import Glibc
package import MAMModel
package import MAMSystem
internal import MAMWire

/// One page of memory that is not dumped, nor swapped if it can be locked. Deinit zeroes it.
package final class SecretBuffer {
    package static let capacity = 4096

    private let address: UnsafeMutableRawPointer
    package private(set) var count = 0

    package init() throws(Errno) {
        let protection = PROT_READ | PROT_WRITE
        let address = mmap(nil, Self.capacity, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let address, address != MAP_FAILED else { throw .current }
        self.address = address
        // Ignore a failure of mlock(2): refusing would not make the passphrase safer, as the
        // terminal has it too.
        mlock(address, Self.capacity)
        madvise(address, Self.capacity, MADV_DONTDUMP)
    }

    deinit {
        explicit_bzero(address, Self.capacity)
        munmap(address, Self.capacity)
    }

    package var isEmpty: Bool { count == 0 }

    /// False if the buffer is full.
    package func append(_ byte: UInt8) -> Bool {
        guard count < Self.capacity else { return false }
        address.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
        return true
    }

    private func dropReturn() {
        guard count > 0,
            address.load(fromByteOffset: count - 1, as: UInt8.self) == UInt8(ascii: "\r")
        else { return }
        count -= 1
    }

    package func equals(_ other: SecretBuffer) -> Bool {
        count == other.count && memcmp(address, other.address, count) == 0
    }

    package func withBytes<Result, Thrown: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Thrown) -> Result
    ) throws(Thrown) -> Result {
        try body(UnsafeRawBufferPointer(start: address, count: count))
    }

    /// Reads one line: to the end, or up to a newline, which is dropped with Windows' return before
    /// it. False if the input ends before it.
    ///
    /// Reads byte by byte, so that no other buffer holds the secret and what follows the line stays
    /// unread.
    @discardableResult
    package func readLine(from descriptor: Int32) throws(Failure) -> Bool {
        while true {
            var byte: UInt8 = 0
            let got: Int
            do throws(Errno) {
                got = try retrying { read(descriptor, &byte, 1) }
            } catch {
                throw Failure(.failure, "the passphrase cannot be read: \(error)")
            }
            if got == 0 { return !isEmpty }
            if byte == UInt8(ascii: "\n") {
                dropReturn()
                return true
            }
            guard append(byte) else {
                throw Failure(.usage, "the passphrase is longer than \(Self.capacity) bytes")
            }
        }
    }

    /// The read end of a pipe that contains the secret. A pipe holds a page, so the write does not
    /// block.
    package func pipe() throws(Errno) -> Descriptor {
        let (reader, writer) = try makePipe()
        _ = try retrying { write(writer.raw, address, count) }
        return reader
    }
}

/// The descriptors that go with one call: pipes with secrets, and files.
package struct SecretParameters {
    package private(set) var descriptors: [Descriptor] = []

    package init() {}

    /// All return the index that the request names.
    package mutating func add(_ secret: SecretBuffer) throws(Errno) -> Int {
        add(try secret.pipe())
    }

    /// Nil for no secret.
    package mutating func add(_ secret: SecretBuffer?) throws(Errno) -> Int? {
        if let secret { try add(secret) } else { nil }
    }

    package mutating func add(_ file: Descriptor) -> Int {
        descriptors.append(file)
        return descriptors.count - 1
    }
}
