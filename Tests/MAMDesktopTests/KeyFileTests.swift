import MAMDesktop
import MAMModel
import MAMSystem
import Testing

/// Files of groups and keys, of which only what is changed changes.
struct KeyFileTests {
    private let text = """
        # a comment
        [Desktop Entry]
        Name=One
        Name[de] = Eins
        Exec=one %U
        DBusActivatable=true

        [Desktop Action New]
        Name=New
        Exec=one --new

        """

    private func entry(_ text: String) -> DesktopEntry {
        let file = KeyFile(parsing: Array(text.utf8))
        return DesktopEntry(id: ByteString("one"), path: ByteString("/one.desktop"), file: file)
    }

    private func shown(_ file: KeyFile) -> String { String(decoding: file.bytes, as: UTF8.self) }

    @Test func keepsWhatItDoesNotChange() {
        let spaced = text.replacing("Name[de] = ", with: "Name[de]=")
        #expect(shown(KeyFile(parsing: Array(text.utf8))) == spaced)
        #expect(KeyFile(parsing: []).bytes.isEmpty)
    }

    @Test func setsAddsAndRemoves() {
        var file = KeyFile(parsing: Array("[A]\nx=1\nx=2\n\n[B]\n".utf8))
        file.set("x", to: ByteString("3"), in: "A")
        file.set("y", to: ByteString("4"), in: "A")
        file.set("z", to: ByteString("5"), in: "C")
        #expect(shown(file) == "[A]\nx=3\ny=4\n\n[B]\n\n[C]\nz=5\n")
        file.set("x", to: nil, in: "A")
        #expect(file.value("x", in: "A") == nil)
    }

    @Test(arguments: [" a", "a\nb", #"a\b"#, "\t", "a;b"])
    func escapesComeBack(_ text: String) {
        #expect(ByteString(text).asValue.unescapedValue == ByteString(text))
    }

    @Test func lists() {
        #expect(ByteString(#"a;b\;c;;d"#).listedValues.map(\.shown) == ["a", "b;c", "d"])
        #expect(listValue(of: [ByteString("a"), ByteString("b")]) == ByteString("a;b;"))
    }

    @Test func launcherStartsTheSameContained() throws {
        let owner = Launcher.Owner(
            workspace: ByteString("work"), account: ByteString("ann smith@contoso.com"))
        let file = try #require(Launcher.file(for: entry(text), owner))
        let start = """
            mamctl run --contained --discard-output --workspace work\
             --account "ann smith@contoso.com" -- 
            """
        #expect(file.value("Exec", in: "Desktop Entry") == ByteString(start + "one %U"))
        #expect(file.value("Exec", in: "Desktop Action New") == ByteString(start + "one --new"))
        #expect(file.value("Name", in: "Desktop Action New") == ByteString("New"))
        #expect(
            file.value("Name[de]", in: "Desktop Entry")
                == ByteString("Eins (ann smith@contoso.com)"))
        #expect(file.value("DBusActivatable", in: "Desktop Entry") == nil)
        let again = DesktopEntry(id: ByteString("x"), path: ByteString("/x"), file: file)
        #expect(Launcher(again)?.owner == owner)
        #expect(Launcher(again)?.app == ByteString("one"))
        #expect(Launcher(entry(text)) == nil)
        #expect(Launcher.file(for: entry("[Desktop Entry]\nName=One\n"), owner) == nil)
    }

    @Test func aSecondAccountsLauncherHasItsName() {
        let owner = Launcher.Owner(
            workspace: ByteString("work"), account: ByteString("ann_b/c;é@contoso.com"))
        #expect(
            Launcher.fileNames(app: ByteString("one"), owner) == [
                ByteString("mamd-work-one.desktop"),
                ByteString("mamd-work-one-ann_5fb_2fc_3b_c3_a9@contoso.com.desktop"),
            ])
    }

    @Test func aLauncherForEverybodyNamesNoAccount() throws {
        let everybody = Launcher.Owner(workspace: ByteString("work"), account: ByteString(""))
        let file = try #require(Launcher.file(for: entry(text), everybody))
        #expect(
            file.value("Exec", in: "Desktop Entry")
                == ByteString("mamctl run --contained --discard-output --workspace work -- one %U"))
        #expect(file.value("Name[de]", in: "Desktop Entry") == ByteString("Eins (work)"))
        #expect(file.value("X-Mamd-Account", in: "Desktop Entry") == nil)
        let shadow = try #require(
            Launcher(DesktopEntry(id: ByteString("one"), path: ByteString("/one"), file: file)))
        #expect(shadow.isShadow && shadow.owner == everybody)
        let beside = try #require(
            Launcher(DesktopEntry(id: ByteString("x"), path: ByteString("/x"), file: file)))
        #expect(!beside.isShadow)
        let ann = Launcher.Owner(workspace: ByteString("work"), account: ByteString("ann"))
        #expect(shadow.serves(ann))
        #expect(
            !shadow.serves(.init(workspace: ByteString("other"), account: ByteString("ann"))))
    }

    @Test func defaultsKeepTheOthers() {
        let old = "[Added Associations]\na/b=x.desktop\n\n[Default Applications]\na/b=y.desktop\n"
        var file = KeyFile(parsing: Array(old.utf8))
        let own = ByteString("z.desktop")
        file.makeDefault(own, for: [ByteString("a/b"), ByteString("c/d")])
        file.makeDefault(own, for: [ByteString("a/b")])
        #expect(
            file.value("a/b", in: "Default Applications") == ByteString("z.desktop;y.desktop;"))
        #expect(file.value("a/b", in: "Added Associations") == ByteString("x.desktop"))
        file.dropDefault(own)
        #expect(file.value("a/b", in: "Default Applications") == ByteString("y.desktop;"))
        #expect(file.value("c/d", in: "Default Applications") == nil)
    }
}
