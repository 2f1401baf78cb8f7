// A list that seldom has more than one element.

/// An array whose first element takes no allocation.
package struct ShortList<Element> {
    private var first: Element?
    private var others: [Element] = []

    package init() {}

    package mutating func append(_ element: Element) {
        if first == nil { first = element } else { others.append(element) }
    }

    /// Keeps the order.
    package mutating func removeAll(where isGone: (Element) -> Bool) {
        others.removeAll(where: isGone)
        if let first, isGone(first) { self.first = others.isEmpty ? nil : others.removeFirst() }
    }
}

extension ShortList: RandomAccessCollection, MutableCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { first == nil ? 0 : others.count + 1 }

    package subscript(index: Int) -> Element {
        get {
            guard index == 0 else { return others[index - 1] }
            guard let first else { preconditionFailure("an index beyond the end") }
            return first
        }
        set { if index == 0 { first = newValue } else { others[index - 1] = newValue } }
    }
}
