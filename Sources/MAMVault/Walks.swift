// What threads go through the whole tree for.

/// How far each walk is, and what it found.
package struct Walks: Sendable {
    package let claims = ClaimSearches()
    package let caches = CacheClearings()
    /// Nil where nothing is stored.
    package let classes: ClassRecords?

    init(_ classes: ClassRecords?) { self.classes = classes }
}
