// What a program wants to do with a file, in the socket's words.

/// An act that the rules allow or refuse.
package enum FileAct: String, Sendable, CaseIterable {
    case read, write
    /// Make a file in a directory.
    case create
}
