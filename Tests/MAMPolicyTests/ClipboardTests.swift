import MAMModel
import MAMPolicy
import Testing

@Suite struct ClipboardTests {
    /// Columns: to ann, to bob, to carol, to every program.
    static let copying: [(ClipboardSharing?, reach: ClipboardReach, expected: String)] = [
        (nil, .everyone, "yyyy"), (.allApps, .everyone, "yyyy"),
        (.managedAppsWithPasteIn, .managed, "yynn"), (.managedApps, .managed, "yynn"),
        (.blocked, .sameAccount, "ynnn"),
    ]

    @Test(arguments: copying)
    func `who may have what is copied`(
        _ level: ClipboardSharing?, _ reach: ClipboardReach, _ row: String
    ) throws {
        for exception in [nil, 0, 10] {
            let owner = try ann(level, exception)
            let targets = [owner, try bob(.noApps), try carol(), nil]
            for (count, isShort) in [(0, true), (10, exception == 10), (11, false), (-1, false)] {
                let found = targets.map { owner.canCopy(characters: count, to: $0) }
                #expect(letters(found) == (isShort ? "yyyy" : row))
                #expect(owner.clipboardReach(characters: count) == (isShort ? .everyone : reach))
            }
        }
    }

    /// Columns: from ann, from bob (lets all paste), bob (managed programs), bob (nobody), carol,
    /// nobody known.
    @Test(arguments: [
        (ClipboardSharing?.none, "yyynyy"), (.allApps, "yyynyy"),
        (.managedAppsWithPasteIn, "yyynyy"), (.managedApps, "yyynnn"), (.blocked, "ynnnnn"),
    ])
    func `who may paste from whom`(_ level: ClipboardSharing?, _ row: String) throws {
        let receiver = try ann(level, nil)
        let sources = [
            receiver, try bobCopying(.allApps), try bobCopying(.managedApps),
            try bobCopying(.blocked), try carol(), nil,
        ]
        #expect(letters(sources.map { receiver.canPaste(characters: 5, from: $0) }) == row)
    }

    @Test func `pasting for an unmanaged account`() throws {
        let sources = [
            try bobCopying(.allApps), try bobCopying(.managedAppsWithPasteIn),
            try bobCopying(.managedApps), try bobCopying(.blocked), try carol(), nil,
        ]
        for receiver in [try carol(), .nobody] {
            #expect(letters(sources.map { receiver.canPaste(characters: 5, from: $0) }) == "ynnnyy")
        }
    }

    @Test func `the exception is the source's`() throws {
        let source = try ann(.blocked, 5)
        #expect(try carol().canPaste(characters: 5, from: source).isAllowed)
        #expect(try !carol().canPaste(characters: 6, from: source).isAllowed)
        let receiver = try ann(.managedApps, 5)
        #expect(!receiver.canPaste(characters: 5, from: nil).isAllowed)
    }

    @Test func `no count is a crash`() throws {
        for exception in [Int.min, -1, 0, Int.max] {
            let owner = try ann(.blocked, exception)
            #expect(!owner.canCopy(characters: Int.min, to: nil).isAllowed)
            #expect(
                owner.canCopy(characters: Int.max, to: nil).isAllowed == (exception == Int.max))
        }
    }

    private func ann(_ level: ClipboardSharing?, _ exception: Int?) throws -> Principal {
        try MAMPolicyTests.ann {
            $0.allowedOutboundClipboardSharingLevel = level
            $0.allowedOutboundClipboardSharingExceptionLength = exception
        }
    }

    private func bobCopying(_ level: ClipboardSharing) throws -> Principal {
        .managed(
            try Identity(name: "bob@contoso.com"),
            policy { $0.allowedOutboundClipboardSharingLevel = level })
    }
}
