// The class that a backing directory asks for its new children: one letter.

internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMVault

enum ChildClass {
    /// Nil for none; in the note nil for one that cannot be understood.
    static func read(of directory: Descriptor, _ marks: Marks) -> Note<ProtectionClass?>? {
        DirectoryNote.childClass.read(of: directory, marks)?.map { letters in
            letters.count == 1 ? ProtectionClass(String(UnicodeScalar(letters[0]))) : nil
        }
    }

    /// Nil takes it away.
    static func write(
        _ asked: Note<ProtectionClass>?, of directory: Descriptor, _ marks: Marks
    ) throws(Errno) {
        try DirectoryNote.childClass.write(
            asked.map { Array($0.value.letter.utf8) }, isProved: asked?.isProved ?? true,
            of: directory, marks)
    }
}
