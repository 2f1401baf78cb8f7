import MAMModel
import MAMPlaces
import MAMSystem
import Testing

@Suite struct PlacesTests {
    private static let odd = ByteString(Array("/caf".utf8) + [0xE9])

    @Test(
        arguments: [
            (1000, ["HOME": odd], "HOME"), (0, ["HOME": odd], nil),
            (1000, ["HOME": odd, "XDG_CONFIG_HOME": ByteString("/c")], "HOME"),
            (
                1000,
                [
                    "HOME": odd, "XDG_CONFIG_HOME": ByteString("/c"),
                    "XDG_STATE_HOME": ByteString("/s"),
                ], nil
            ),
            (0, ["XDG_RUNTIME_DIR": odd], "XDG_RUNTIME_DIR"),
            (1000, ["HOME": ByteString("/ä"), "XDG_STATE_HOME": odd], "XDG_STATE_HOME"),
            (1000, ["HOME": ByteString("/"), "XDG_STATE_HOME": ByteString([0xE9])], nil),
        ] as [(UInt32, [String: ByteString], String?)])
    func `a directory that is no text is named if it counts`(
        _ user: UInt32, _ variables: [String: ByteString], _ expected: String?
    ) {
        #expect(Places.unusableVariable(uid: user) { variables[$0] } == expected)
    }
}
