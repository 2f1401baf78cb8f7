// A passphrase on its way from a person to the daemon.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// One page of memory that is never swapped or dumped, and zeroed when it goes.
final class SecretBuffer {
    static let capacity = 4096

    private let address: UnsafeMutableRawPointer
    private(set) var count = 0

    init() throws(Errno) {
        let protection = PROT_READ | PROT_WRITE
        let address = mmap(nil, Self.capacity, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let address, address != MAP_FAILED else { throw .current }
        self.address = address
        // Where the limit on locked memory is too small for one page, we go on: refusing would not
        // make the passphrase any safer, for the terminal has it too.
        mlock(address, Self.capacity)
        madvise(address, Self.capacity, MADV_DONTDUMP)
    }

    deinit {
        explicit_bzero(address, Self.capacity)
        munmap(address, Self.capacity)
    }

    var isEmpty: Bool { count == 0 }

    /// False when there is no room left.
    func append(_ byte: UInt8) -> Bool {
        guard count < Self.capacity else { return false }
        address.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
        return true
    }

    func equals(_ other: SecretBuffer) -> Bool {
        count == other.count && memcmp(address, other.address, count) == 0
    }

    func withBytes<Result, Thrown: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Thrown) -> Result
    ) throws(Thrown) -> Result {
        try body(UnsafeRawBufferPointer(start: address, count: count))
    }

    /// Reads one line: up to a newline, which is dropped, or to the end.
    ///
    /// Byte by byte, so that no other buffer sees the secret, and what follows the line stays
    /// unread.
    func readLine(from descriptor: Int32) throws(Failure) {
        while true {
            var byte: UInt8 = 0
            let got: Int
            do throws(Errno) {
                got = try retrying { read(descriptor, &byte, 1) }
            } catch {
                throw Failure(.failure, "the passphrase cannot be read: \(error)")
            }
            if got == 0 || byte == UInt8(ascii: "\n") { return }
            guard append(byte) else {
                throw Failure(.usage, "the passphrase is longer than \(Self.capacity) bytes")
            }
        }
    }

    /// The read end of a pipe that holds the secret; a pipe takes a page without waiting for a
    /// reader.
    func pipe() throws(Errno) -> Descriptor {
        let (reader, writer) = try makePipe()
        _ = try retrying { write(writer.raw, address, count) }
        return reader
    }
}

/// The descriptors that go with one call: pipes with secrets, and files.
struct SecretParameters {
    private(set) var descriptors: [Descriptor] = []

    /// Both return the index that the request names.
    mutating func add(_ secret: SecretBuffer) throws(Errno) -> Int { add(try secret.pipe()) }

    mutating func add(_ file: Descriptor) -> Int {
        descriptors.append(file)
        return descriptors.count - 1
    }
}
