// Values that have a sentence for people, such as errors.

/// `description` is the message in English, for JSON and logs.
package protocol Worded: CustomStringConvertible {
    var message: Message { get }
}
