// Literals that are messages.

extension Message: ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) { self.init(Sentence(format: text.asFormat)) }

    package init(stringInterpolation parts: StringInterpolation) {
        self.init(Sentence(format: parts.format, arguments: parts.arguments))
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var format = ""
        fileprivate var arguments: [Sentence.Argument] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            format.reserveCapacity(literalCapacity + 2 * interpolationCount)
        }

        package mutating func appendLiteral(_ text: String) { format += text.asFormat }

        package mutating func appendInterpolation(_ message: Message) { append(.message(message)) }
        package mutating func appendInterpolation(_ text: String) { append(.text(text)) }
        package mutating func appendInterpolation(_ error: Errno) { append(.error(error)) }

        /// Errors' sentences are the libraries'; the catalogue may have them. All else is data.
        package mutating func appendInterpolation<Value>(_ value: Value) {
            switch value {
            case let error as Errno: append(.error(error))
            case let worded as any Worded: append(.message(worded.message))
            case is any Error: append(.message(Message(known: "\(value)")))
            default: append(.text("\(value)"))
            }
        }

        private mutating func append(_ argument: Sentence.Argument) {
            format += "%s"
            arguments.append(argument)
        }
    }
}

extension String {
    /// As printf(3) takes it.
    var asFormat: String { utf8.contains(UInt8(ascii: "%")) ? replacing("%", with: "%%") : self }
}
