// What is fuzzed: each check takes any bytes and says what is wrong with the answer of the product.

/// A property that does not hold.
package struct Violation: Error, CustomStringConvertible {
    package let description: String
}

/// The checks by the names of their corpora.
package enum FuzzCheck: String, CaseIterable, Sendable {
    case header, blocks, content, keybag, attempts, stream, frames, json, policy, settings,
        decisions, export, wipe, token, report, bundle, people

    /// Throws a ``Violation``; whatever else is wrong ends the process.
    package func run(_ bytes: [UInt8]) throws(Violation) {
        switch self {
        case .header: try checkHeader(bytes)
        case .blocks: try checkBlocks(bytes)
        case .content: try checkContent(bytes)
        case .keybag: try checkKeybag(bytes)
        case .attempts: try checkAttempts(bytes)
        case .stream: try checkStream(bytes)
        case .frames: try checkFrames(bytes)
        case .json: try checkJSON(bytes)
        case .policy: try checkPolicy(bytes)
        case .settings: try checkSettings(bytes)
        case .decisions: try checkDecisions(bytes)
        case .export: try checkExport(bytes)
        case .wipe: try checkWipe(bytes)
        case .token: try checkToken(bytes)
        case .report: try checkReport(bytes)
        case .bundle: try checkBundle(bytes)
        case .people: try checkPeople(bytes)
        }
    }
}

func expect(_ holds: Bool, _ what: @autoclosure () -> String) throws(Violation) {
    if !holds { throw Violation(description: what()) }
}

/// Runs what must not fail, whatever the input: a violation if it does.
func must<Value>(_ what: String, _ body: () throws -> Value) throws(Violation) -> Value {
    do { return try body() } catch let violation as Violation { throw violation } catch {
        throw Violation(description: "\(what): \(error)")
    }
}

/// What a check needs before its first input: without it nothing can be said.
func prepared<Value>(_ body: () throws -> Value) -> Value {
    do { return try body() } catch { fatalError("cannot prepare: \(error)") }
}
