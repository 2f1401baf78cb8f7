// Reports all problems of a policy document at once.

package import MAMModel

/// A problem or remark.
package struct LintFinding: Sendable, Equatable {
    package enum Severity: String, Sendable, CaseIterable {
        /// The document is rejected.
        case error
        case warning
    }

    /// Nil in a property list, whose lines are not tracked.
    package var line: Int?
    package var column: Int?
    package var severity: Severity
    package var key: String?
    package var reason: String

    package var json: JSONValue {
        [
            "line": line.map { JSONValue($0) } ?? .null,
            "column": column.map { JSONValue($0) } ?? .null,
            "severity": .string(severity.rawValue), "key": JSONValue(key),
            "reason": .string(reason),
        ]
    }
}

package enum PolicyLint {
    /// All findings in a document, ordered by line.
    ///
    /// `maximumValueCount`: a document with more values is not examined.
    package static func check(
        _ bytes: [UInt8], acceptsLegacy: Bool = false,
        maximumValueCount: Int = JSONValue.maximumCount
    ) -> [LintFinding] {
        let bytes = documentText(bytes)
        let json: JSONValue
        do throws(PolicyError) {
            json = try JSONValue(text: bytes, maximumCount: maximumValueCount)
        } catch {
            return [syntaxFinding(bytes, error)]
        }
        let scan = isPropertyList(bytes) ? nil : JSONScan(bytes)
        var findings = scan.map(remarks) ?? []
        do throws(PolicyError) {
            let places = scan?.places ?? [:]
            let documents = try located(json)
            if documents.count > maximumCount { findings.append(tooMany(documents.count)) }
            for (way, fields) in documents.prefix(maximumCount) {
                let found = check(fields, acceptsLegacy)
                guard let scan else {
                    findings += found
                    continue
                }
                let number = scan.number(at: way) ?? 0
                findings += found.map {
                    located($0, places[number] ?? [:], start: scan.starts[number])
                }
            }
        } catch {
            findings.append(finding(error))
        }
        return firstOnes(
            of: findings.sorted {
                ($0.line ?? 0, $0.column ?? 0) < ($1.line ?? 0, $1.column ?? 0)
            })
    }

    /// More would not be read, and a long document's findings could make a reply many times its
    /// size.
    private static let maximumCount = 1000

    /// Each document is checked for every rule.
    private static func tooMany(_ count: Int) -> LintFinding {
        LintFinding(
            severity: .error,
            reason: "of \(count) documents only the first \(maximumCount) were checked")
    }

    private static func firstOnes(of findings: [LintFinding]) -> [LintFinding] {
        let more = findings.count - maximumCount
        guard more > 0 else { return findings }
        let isRefused = findings.dropFirst(maximumCount).contains { $0.severity == .error }
        return findings.prefix(maximumCount) + [
            LintFinding(
                severity: isRefused ? .error : .warning, reason: "\(more) more findings")
        ]
    }

    /// For a text that is ambiguous, or valid here alone.
    private static func remarks(_ scan: JSONScan) -> [LintFinding] {
        var findings = scan.repeated.map { member in
            LintFinding(
                line: member.place.line, column: member.place.column, severity: .error,
                key: member.key,
                reason: PolicyError.twice(key: member.key, line: nil).description)
        }
        if let (place, reason) = scan.error {
            findings.append(
                LintFinding(
                    line: place.line, column: place.column, severity: .warning,
                    reason: "strict JSON parsers reject this: \(reason)"))
        }
        return findings
    }

    private static func syntaxFinding(_ bytes: [UInt8], _ error: PolicyError) -> LintFinding {
        var found = finding(error)
        guard error == .notJSON else { return found }
        let scan = JSONScan(bytes)
        found.line = scan.error?.place.line
        found.column = scan.error?.place.column
        if let reason = scan.error?.reason { found.reason += ": \(reason)" }
        return found
    }

    /// The documents with their paths.
    private static func located(
        _ json: JSONValue
    ) throws(PolicyError) -> [(way: [JSONScan.Step], fields: [String: JSONValue])] {
        let objects = try PolicyDocument.objects(in: json)
        let way: [JSONScan.Step] = json.object?["value"] == nil ? [] : [.key("value")]
        let isList = (json.object?["value"] ?? json).array != nil
        return objects.enumerated().map { (isList ? way + [.index($0)] : way, $1) }
    }

    private static func check(
        _ fields: [String: JSONValue], _ acceptsLegacy: Bool
    ) -> [LintFinding] {
        if LegacyPolicy.isOne(fields) {
            do throws(PolicyError) {
                guard acceptsLegacy else { throw .legacy }
                return try LegacyPolicy.document(fields).warnings.map(finding)
            } catch {
                return [finding(error)]
            }
        }
        var errors: [PolicyError] = []
        let document = PolicyDocument(fields, &errors)
        let remarks = errors.isEmpty ? document.remarks : []
        return errors.map(finding) + (document.warnings + remarks).map(finding)
            + PolicyDependency.broken(in: document.rules).map {
                LintFinding(severity: .warning, key: $0.key, reason: "\($0.key) \($0.reason)")
            }
    }

    private static func finding(_ error: PolicyError) -> LintFinding {
        let key: String? =
            switch error {
            case .value(let key, _), .twice(let key, _): key
            case .otherType: "@odata.type"
            default: nil
            }
        return LintFinding(severity: .error, key: key, reason: error.description)
    }

    private static func finding(_ warning: PolicyWarning) -> LintFinding {
        LintFinding(severity: .warning, key: warning.key, reason: warning.description)
    }

    private static func located(
        _ finding: LintFinding, _ places: [String: JSONScan.Position], start: JSONScan.Position?
    ) -> LintFinding {
        var found = finding
        let place = found.key.flatMap { places[$0] } ?? start
        found.line = place?.line ?? 1
        found.column = place?.column
        return found
    }
}
