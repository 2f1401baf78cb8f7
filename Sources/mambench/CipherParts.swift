// Blocks, keys and random bytes.

import MAMCrypto
import MAMFormat

func measureCipher(_ bench: Bench) throws {
    let cipher = BlockCipher(key: .random(count: 32))
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4 * 4096, alignment: 4096)
    defer { memory.deallocate() }
    SecureRandom.fill(memory)
    let plain = UnsafeRawBufferPointer(rebasing: memory[..<Layout.payloadByteCount])
    guard let nonce = memory.baseAddress.map({ $0 + 2 * 4096 }) else { return }
    let sealed = nonce - 4096
    let associated = UnsafeRawBufferPointer(start: nonce + 64, count: BlockSeal.associatedByteCount)
    try cipher.withSession { session in
        try bench.measure("seal a block", count: 10_000, byteCount: plain.count) { _ in
            try session.seal(
                plain, nonce: nonce, associatedData: associated, into: sealed, tag: nonce + 32)
        }
        let ciphertext = UnsafeRawBufferPointer(start: sealed, count: plain.count)
        try bench.measure("open a block", count: 10_000, byteCount: plain.count) { _ in
            try session.open(
                ciphertext, nonce: nonce, associatedData: associated, tag: nonce + 32,
                into: nonce + 4096)
        }
    }
}

func measureKeys(_ bench: Bench) throws {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 8192, alignment: 4096)
    defer { memory.deallocate() }
    SecureRandom.fill(memory)
    let nonces = UnsafeMutableRawBufferPointer(rebasing: memory[..<4096])
    try bench.measure("256 nonces", count: 200) { _ in
        SecureRandom.fillNonces(nonces)
    }
    let (key, wrappingKey) = (SecretBytes.random(count: 32), SecretBytes.random(count: 32))
    let associated = UnsafeRawBufferPointer(
        rebasing: memory[4096..<4096 + FileHeader.associatedByteCount])
    let wrapped = UnsafeMutableRawBufferPointer(rebasing: memory[..<KeyWrap.byteCount])
    try bench.measure("wrap a key", count: 5000) { _ in
        try KeyWrap.wrap(key, under: wrappingKey, associatedData: associated, into: wrapped)
    }
    try bench.measure("unwrap a key", count: 5000) { _ in
        _ = try KeyWrap.unwrap(
            UnsafeRawBufferPointer(wrapped), under: wrappingKey, associatedData: associated)
    }
}
