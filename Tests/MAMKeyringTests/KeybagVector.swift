import MAMKeyring
import MAMModel

/// Keybags and file keys written by a Python program from docs/FORMAT.md, sections 1.3 and 3, alone
/// (cryptography 48, argon2-cffi 25.1). Never to be made anew: old files must open for ever.
///
/// Device secret: 32 bytes D5. Account: A0 to AF. Passphrase: `correct horse`, 1 pass, 64 KiB.
/// Class keys: 11, 22 (private), 33, 44, 32 bytes each. Key ids: 50 to 53, 16 bytes each. File key:
/// 99; associated data: `header`.
enum KeybagVector {
    static let account = AccountID(
        Bytes16(high: 0xA0A1_A2A3_A4A5_A6A7, low: 0xA8A9_AAAB_ACAD_AEAF))
    static let deviceSecret = [UInt8](repeating: 0xD5, count: 32)
    static let fileKey = [UInt8](repeating: 0x99, count: 32)
    static let associatedData = Array("header".utf8)

    static let withPassphrase = record(
        head: head(flags: "01", passes: "010000000000010000000000"),
        tail: """
            000102030405060708090a0b0c0d0e0f0faa684ed28867b97f4a6a2dee5df8ce\
            974e76b7018e3f22a1c4cf2678570f2050505050505050505050505050505050\
            5151515151515151515151515151515152525252525252525252525252525252\
            5353535353535353535353535353535360606060606060606060606060606060\
            d8b7b861cea03759c46939690367a5d6780ed29f9bbf40650e71676daa9d4d64\
            8113f8a57bfe38690c4eec7bddbf9d7561616161616161616161616161616161\
            a2b20734691535e5db6e60feee0aeff38324997daed0ddbbbf64b0fb900bb3fe\
            d8e5847002d8c618767193299d6cc88762626262626262626262626262626262\
            5e4dbaf06a6c49521ef88e8b86d239d4612bdd914a6612c7eb4929f25ad69a90\
            99ea3004f6f753330e624d464d51c07763636363636363636363636363636363\
            1241b44e071588402e090ad9844695d9419817de9d523621cc1ed5e46d14715a\
            22efcd432f6c9575e59e2d2a25d88f33000000000000000000000000cd575aea
            """)

    static let withoutPassphrase = record(
        head: head(flags: "00", passes: "000000000000000000000000"),
        tail: """
            000000000000000000000000000000000faa684ed28867b97f4a6a2dee5df8ce\
            974e76b7018e3f22a1c4cf2678570f2050505050505050505050505050505050\
            5151515151515151515151515151515152525252525252525252525252525252\
            5353535353535353535353535353535360606060606060606060606060606060\
            a83fb53fc79aa127971b200b437c26529214929e0e796e63e388c37209130b02\
            f941e6fd1a79ad87ef7de6ef0fc5105f61616161616161616161616161616161\
            b6cfc152852abc99324a5b364e4745fc3bd6e002a92e45750f1ab365bd48b877\
            95e4ad631ac66849b724e9b89993300d62626262626262626262626262626262\
            8eb813d150c8ea3c71f4b5de04265d1a629f5df45b1313e7bdf108bb8053f4bd\
            278e0828f72e2e35c80a19bc20fb615863636363636363636363636363636363\
            1241b44e071588402e090ad9844695d9419817de9d523621cc1ed5e46d14715a\
            7e81014a4c2ec22d5fa8df95caf6c9cd0000000000000000000000002e7ed60a
            """)

    /// The keys above retired; the present ones: 55, 66 (private), 77, 44, and their ids 54, 55,
    /// 56, 53. No passphrase.
    static let withRetiredKeys = record(
        head: bytes(
            """
            894d414d4b0d0a1a02000000e8030000a0a1a2a3a4a5a6a7a8a9aaabacadaeaf\
            080000000000000000f15365000000000f000500000000000000000000000000\
            616e6e40636f6e746f736f2e636f6d00
            """),
        tail: """
            00000000000000000000000000000000219e4d800da968d2a5fcb009c784f474\
            6c7138edb9ee4844b739e830b05cf42454545454545454545454545454545454\
            5555555555555555555555555555555556565656565656565656565656565656\
            5353535353535353535353535353535360606060606060606060606060606060\
            ec7bf17b83dee563d35f644f07386216d650d6da4a3d2a27a7cc87364d574f46\
            bb3fd37f626d713ec0e45875abd504d561616161616161616161616161616161\
            f28b8516c16ef8dd760e1f720a0301b87f92a446ed6a01314b5ef721f90cfc33\
            d79a98e162d2b4f098bd57223d83248762626262626262626262626262626262\
            cafc5795148cae7835b0f19a4062195e26db19b01f5757a3f9b54cffc417b0f9\
            65f03daa8f3af28ce793a72684eb75d263636363636363636363636363636363\
            1241b44e071588402e090ad9844695d9419817de9d523621cc1ed5e46d14715a\
            b3cf428bec37aaa33fb88aa32fe4df1301000000000000000000000050505050\
            5050505050505050505050505151515151515151515151515151515152525252\
            5252525252525252525252520faa684ed28867b97f4a6a2dee5df8ce974e76b7\
            018e3f22a1c4cf2678570f20707070707070707070707070707070700d614593\
            b8cfbd510d363acca94c1e35b90429f9b84699966749effcdc5d2cbab94e35ec\
            18d42a23b1e95d9c3ee9459b71717171717171717171717171717171b317ad19\
            1cfb719d3a88d3269b2d032b761e75f48723dfdd5dff17c831ce18784979874a\
            24bbe419140f4843fcce4cf372727272727272727272727272727272c531961f\
            06228ac61b3d6111ef57447f33c33b6fbf8a88d8a064ba2bd2b8586e9f234a74\
            78784bb38e6943cdf79ebb0040354ca5
            """)

    static let ephemeralKey = bytes(
        "1cf579aba45a10ba1d1ef06d91fca2aa9ed0a1150515653155405d0b18cb9a67")

    /// Classes A to D, each nonce 16 | key 32 | tag 16.
    static let wrapped: [ProtectionClass: [UInt8]] = [
        .complete: bytes(
            """
            888888888888888888888888888888886c6cce7e4f6268f1840373826a8a2c3d\
            aba0070858e706cd16cc926460ab4fc35d47ea1a673f53ff5707d96ce3e516ca
            """),
        .completeUnlessOpen: bytes(
            """
            88888888888888888888888888888888e0410ce000a606f059d73786dc0bb882\
            062642c7834b0185c114a1c0121356502b47ba83fece02fd7cb0bad2b23ef52f
            """),
        .completeUntilFirstUserAuthentication: bytes(
            """
            88888888888888888888888888888888be803b5ab3d29e30bc1d8f8200a5be05\
            543823118a55a24423bb7fecf18ac849bcf750a7f38de3170a648e71954ac490
            """),
        .none: bytes(
            """
            88888888888888888888888888888888686f681a57bcc88fb943d43f3f76701f\
            7df339d01e99dda2d13decb32d481a8d508480b8cae28ee655d63678c6d68ba8
            """),
    ]

    /// Bytes 0 to 79.
    private static func head(flags: String, passes: String) -> [UInt8] {
        bytes("894d414d4b0d0a1a0100") + bytes(flags)
            + bytes(
                """
                00e8030000a0a1a2a3a4a5a6a7a8a9aaabacadaeaf070000000000000000f153\
                65000000000f000500
                """)
            + bytes(passes) + bytes("616e6e40636f6e746f736f2e636f6d00")
    }

    private static func record(head: [UInt8], tail: String) -> [UInt8] {
        var record = [UInt8](repeating: 0, count: 640)
        record.replaceSubrange(0..<80, with: head)
        record.replaceSubrange(576..<581, with: Array("OID-1".utf8))
        return record + bytes(tail)
    }

    /// The bytes of a hexadecimal text; digits only.
    static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }
}
