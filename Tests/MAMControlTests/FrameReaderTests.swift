// Cutting a stream into frames.

import Glibc
import MAMModel
import MAMSystem
import MAMWire
import Testing

@testable import MAMControl

@Suite struct FrameReaderTests {
    static let stream = Array("{\"a\":1}\u{0}{}\u{0}[2]\u{0}".utf8)

    @Test(arguments: 0...stream.count)
    func `frames come out whole wherever the stream is cut`(at cut: Int) throws {
        var reader = FrameReader()
        try reader.take(Self.stream[..<cut])
        try reader.take(Self.stream[cut...])
        var texts: [String] = []
        while let frame = reader.next() {
            texts.append(String(decoding: frame.bytes, as: UTF8.self))
        }
        #expect(texts == ["{\"a\":1}", "{}", "[2]"])
        #expect(!reader.isWithinFrame)
    }

    @Test func `frames come out whole when every byte arrives alone`() throws {
        var reader = FrameReader()
        var count = 0
        for index in Self.stream.indices {
            try reader.take(Self.stream[index...index])
            while reader.next() != nil { count += 1 }
        }
        #expect(count == 3)
    }

    @Test func `a frame may be as long as the limit and not a byte longer`() throws {
        var reader = FrameReader(maximumByteCount: 10)
        try reader.take([UInt8](repeating: 65, count: 10)[...])
        try reader.take([0])
        #expect(reader.next()?.bytes.count == 10)
        try reader.take([UInt8](repeating: 65, count: 10)[...])
        #expect(throws: FrameReader.Excess.bytes) { try reader.take([65]) }
    }

    @Test func `descriptors belong to the frame of the read's last byte`() throws {
        var reader = FrameReader()
        try reader.take(Array("{}\u{0}[1]\u{0}".utf8)[...], descriptors: [try nullDevice()])
        #expect(reader.next()?.descriptors.isEmpty == true)
        #expect(reader.next()?.descriptors.count == 1)
        try reader.take(Array("{}\u{0}[1".utf8)[...], descriptors: [try nullDevice()])
        try reader.take(Array("]\u{0}".utf8)[...], descriptors: [try nullDevice()])
        #expect(reader.next()?.descriptors.isEmpty == true)
        #expect(reader.next()?.descriptors.count == 2)
    }

    @Test func `more than eight descriptors for one frame are refused`() throws {
        var reader = FrameReader()
        for _ in 0..<8 { try reader.take([65], descriptors: [try nullDevice()]) }
        #expect(throws: FrameReader.Excess.descriptors) {
            try reader.take([65], descriptors: [try nullDevice()])
        }
    }

    private func nullDevice() throws -> Descriptor { try openFile("/dev/null", O_RDONLY) }
}
