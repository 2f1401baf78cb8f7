import Glibc
import MAMDesktop
import MAMModel
import MAMSystem
import TestSupport
import Testing

/// Types, as shared-mime-info writes them, in a directory of its own.
private final class Database {
    private let place: TemporaryDirectory
    let types: MediaTypes

    private static let texts = [
        "globs2": """
        # a comment
        80:a/heavy:*.x
        50:a/light:*.x
        50:a/gzip:*.gz
        50:a/tarred:*.tar.gz
        50:a/upper:*.C:cs
        50:a/lower:*.c
        50:a/make:Makefile
        """,
        "aliases": "a/old a/tarred\n",
        "subclasses": "a/tarred a/gzip\na/gzip a/root\n",
    ]

    init() throws {
        place = try TemporaryDirectory()
        let root = place.path
        let places = DesktopPlaces { name in
            ByteString(name == "XDG_DATA_HOME" ? root : "/nonexistent")
        }
        types = MediaTypes(in: places)
        try makeDirectories("\(root)/mime", mode: 0o700)
        let directory = try openFile("\(root)/mime", O_RDONLY | O_DIRECTORY)
        for (name, text) in Self.texts {
            try Array(text.utf8).span.withUnsafeBytes { bytes in
                try replaceFile(in: directory.raw, named: name, with: bytes)
            }
        }
    }
}

struct MediaTypesTests {
    private let database: Database

    init() throws { database = try Database() }

    @Test(
        arguments: [
            ("one.x", "a/heavy"), ("one.gz", "a/gzip"), ("one.tar.gz", "a/tarred"),
            ("one.c", "a/lower"), ("one.C", "a/upper"), ("ONE.GZ", "a/gzip"),
            ("Makefile", "a/make"), ("one", nil), ("x", nil),
        ])
    func typeOfAName(_ name: String, _ type: String?) {
        #expect(database.types.type(ofFileNamed: ByteString(name))?.shown == type)
    }

    @Test func nameThatIsNoText() {
        let name = ByteString([0xFF] + Array(".gz".utf8))
        #expect(database.types.type(ofFileNamed: name) == ByteString("a/gzip"))
    }

    @Test(
        arguments: [
            ("a/old", ["a/old", "a/tarred", "a/gzip", "a/root"]),
            ("a/tarred", ["a/tarred", "a/old", "a/gzip", "a/root"]),
            ("text/code", ["text/code", "text/plain"]), ("a/none", ["a/none"]),
        ])
    func kindsOfAType(_ type: String, _ kinds: [String]) {
        #expect(database.types.kinds(of: ByteString(type)).map(\.shown) == kinds)
    }
}
