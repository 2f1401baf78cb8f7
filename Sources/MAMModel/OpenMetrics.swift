// The text format of OpenMetrics, which Prometheus reads: https://openmetrics.io.

/// A metric with its samples.
package struct MetricFamily: Sendable {
    package enum Kind: String, Sendable {
        case counter, gauge
    }

    /// One value, and the labels that distinguish it from the family's others.
    package struct Sample: Sendable {
        let labels: [(name: String, value: String)]
        let value: Int64

        package init(_ labels: KeyValuePairs<String, String>, _ value: Int64) {
            self.labels = labels.map { ($0.key, $0.value) }
            self.value = value
        }

        package init(_ value: Int64) { self.init([:], value) }
    }

    private let name: String
    private let kind: Kind
    private let help: String
    private let samples: [Sample]

    /// `name`: a counter's without its `_total`. `help`: a sentence.
    package init(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        (self.name, self.kind, self.help, self.samples) = (name, kind, help, samples)
    }

    fileprivate var lines: [String] {
        let total = kind == .counter ? "_total" : ""
        return ["# TYPE \(name) \(kind.rawValue)", "# HELP \(name) \(help)"]
            + samples.map { "\(name)\(total)\($0.set) \($0.value)" }
    }
}

extension MetricFamily.Sample {
    /// The labels in braces; nothing without labels.
    package var set: String {
        guard !labels.isEmpty else { return "" }
        let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
        return "{\(pairs.joined(separator: ","))}"
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

/// A whole exposition.
package func openMetrics(_ families: [MetricFamily]) -> String {
    (families.flatMap(\.lines) + ["# EOF"]).joined(separator: "\n") + "\n"
}
