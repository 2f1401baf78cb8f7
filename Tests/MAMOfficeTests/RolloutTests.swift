import MAMFleet
import MAMModel
import Testing

@testable import MAMOffice

/// A policy that goes to a ring first, on the one machine that there is.
@Suite struct RolloutTests {
    let test: TestDirectory
    let slot = Slot(.policy, .all, "level2.json")
    let place = "signed/level2.json"
    private let new = Array(#"{"pinRequired": false}"#.utf8)
    private let former = Array(#"{"pinRequired": true}"#.utf8)
    private let day: Int64 = 86_400

    init() throws {
        test = try TestDirectory()
        try test.directory.write(place, try document(RingStep(former), serial: 7).encoded())
        try report(serial: 7, at: -10)
    }

    private func document(
        _ step: RingStep, serial: Int64, by isSigned: Bool = true
    ) throws -> Envelope {
        let statement = Statement(
            of: step.content, organization: test.organization, audience: .all, name: slot.name,
            serial: serial, issued: test.now, expires: test.now + 90 * day, ring: step.ring)
        var envelope = Envelope(.policy, statement, content: step.content)
        if isSigned { _ = envelope.sign(with: test.policySeed) }
        return envelope
    }

    private var push: PolicyPush {
        get throws {
            let signed = try test.directory.signedPolicies(by: test.root, of: test.organization)
            return PolicyPush(
                [WantedPolicy(slot, new, from: "level2.json")], signed: signed, isPruning: false,
                at: test.now)
        }
    }

    /// As `fleet push --rings 5,25` does. Returns the steps.
    @discardableResult
    private func begin() throws -> [RingStep] {
        let push = try push
        let plan = RingPlan([5, 25], for: push, test.survey)
        let steps = try #require(push.changes.first).steps(plan, waiting: [])
        let signed = try steps.enumerated().map { index, step in
            (share: step.share, bytes: try document(step, serial: 8 + Int64(index)).encoded())
        }
        try test.directory.noteRollout(
            of: [(.all, steps[0].ring)], test.survey, at: test.now)
        try test.directory.replace(
            signed: place, with: signed[0].bytes, then: Array(signed.dropFirst()))
        return steps
    }

    /// The machine's status, so many seconds after the beginning.
    private func report(
        serial: Int64, at seconds: Int64 = 60, _ change: (inout MachineStatus) -> Void = { _ in }
    ) throws {
        try test.report(["\(slot)": serial], issued: test.now + seconds) { status in
            var account = MachineStatus.Account(
                id: Bytes16(high: 1, low: 1), name: "ann@contoso.com", objectID: "",
                window: .locked)
            account.compliant = true
            status.accounts = [account]
            change(&status)
        }
    }

    private func rollout() throws -> Rollout? {
        let survey = test.survey
        return try Rollout(
            test.directory, root: test.root, of: test.organization, survey.machines,
            survey.wanted)
    }

    private func verdict(after seconds: Int64 = 2 * 86_400) throws -> Rollout.Verdict? {
        try rollout()?.verdict(at: test.now + seconds, after: day, tolerating: 0)
    }

    private func reasons() throws -> [Rollout.Reason] {
        try rollout()?.ill[try test.machine] ?? []
    }

    @Test func `the first ring has a machine that reports, and the same each time`() throws {
        let push = try push
        let plan = RingPlan([1, 2], for: push, test.survey)
        #expect(plan.first == [try test.machine])
        #expect(RingPlan([1, 2], for: push, test.survey) == plan)
    }

    @Test func `one machine that is well is followed by all`() throws {
        let steps = try begin()
        #expect(steps.map(\.share) == [5, 25, 100])
        #expect(try verdict() == .waiting)
        for (serial, next) in [(8, 25), (9, 100)] as [(Int64, Int)] {
            try report(serial: serial)
            #expect(try verdict(after: day - 1) == .waiting)
            #expect(try verdict() == .well)
            let rollout = try #require(try rollout())
            #expect(rollout.nextShare == next)
            try test.directory.advance(rollout, test.survey, at: test.now)
        }
        #expect(try rollout() == nil)
        let signed = try test.directory.signedPolicies(by: test.root, of: test.organization)
        #expect(signed.map(\.content) == [new])
        #expect(signed.map(\.serial) == [10])
        #expect(signed[0].ring == nil)
    }

    @Test func `who has not answered, or as before, is no evidence`() throws {
        try begin()
        try report(serial: 8, at: -1)
        #expect(try verdict() == .waiting)
        try report(serial: 7)
        #expect(try verdict() == .waiting)
        #expect(try reasons().isEmpty)
        try report(serial: 7, at: 3601)
        #expect(try reasons() == [.lacks])
        #expect(try verdict() == .ill)
    }

    @Test func `one that was signed again is on its way once more`() throws {
        let steps = try begin()
        let statement = Statement(
            of: steps[0].content, organization: test.organization, audience: .all,
            name: slot.name, serial: 8, issued: test.now + 7000, expires: test.now + 90 * day,
            ring: steps[0].ring)
        var again = Envelope(.policy, statement, content: steps[0].content)
        _ = again.sign(with: test.policySeed)
        try report(serial: 7, at: 7200)
        #expect(try reasons() == [.lacks])
        try test.directory.write(place, again.encoded())
        #expect(try reasons().isEmpty)
        #expect(try verdict() == .waiting)
    }

    @Test func `what is worse than before stops it`() throws {
        try begin()
        try report(serial: 8) { $0.problem = "no time" }
        #expect(try reasons() == [.problem("no time")])
        try report(serial: 8) {
            ($0.accounts[0].window, $0.accounts[0].blockedBy) = (.blocked, "osVersion")
        }
        #expect(try reasons() == [.closed("ann@contoso.com", "osVersion")])
        try report(serial: 8) { $0.accounts[0].compliant = false }
        #expect(try reasons() == [.notCompliant("ann@contoso.com")])
        try report(serial: 8) { $0.accounts = [] }
        #expect(try reasons() == [.gone(Bytes16(high: 1, low: 1))])
        #expect(try verdict() == .ill)
        #expect(try rollout()?.verdict(at: test.now + 2 * day, after: day, tolerating: 1) != .ill)
    }

    @Test func `what was wrong before does not`() throws {
        try report(serial: 7, at: -10) {
            $0.problem = "no time"
            ($0.accounts[0].window, $0.accounts[0].compliant) = (.blocked, false)
        }
        try begin()
        try report(serial: 8) {
            ($0.accounts[0].window, $0.accounts[0].compliant) = (.blocked, false)
        }
        #expect(try verdict() == .well)
    }

    @Test func `a step of somebody else's is refused`() throws {
        let steps = try begin()
        try report(serial: 8)
        let file = "rings/25/level2.json"
        let ring = try #require(steps[1].ring)
        let evil = PolicyPair(Array("{}".utf8), former: former).encoded()
        let others = [
            try document(steps[1], serial: 9, by: false),
            try document(RingStep(share: 25, ring: ring, content: evil), serial: 9),
            try document(
                RingStep(
                    share: 25, ring: Ring(.zero, share: 25), content: steps[1].content), serial: 9),
            try document(
                RingStep(
                    share: 25, ring: Ring(ring.rollout, share: 99), content: steps[1].content),
                serial: 9),
            try document(RingStep(new), serial: 9),
        ]
        for other in others {
            try test.directory.write(file, other.encoded())
            #expect(throws: OrganizationDirectory.Failure.self) { try rollout() }
            // The survey tells it, and goes on.
            #expect(test.survey.rollout == nil)
            #expect(test.survey.unreadable.map(\.name) == [file])
        }
        try test.directory.write(
            "rings/100/level2.json", document(RingStep(former), serial: 10).encoded())
        try test.directory.write(file, document(steps[1], serial: 9).encoded())
        #expect(throws: OrganizationDirectory.Failure.self) { try rollout() }
    }

    @Test(arguments: ["", "{}", "[]", #"{"since": "x", "machines": {}}"#])
    func `without the notes of before nothing goes on`(_ text: String) throws {
        try begin()
        try report(serial: 8)
        try test.directory.write("rings/rollout.json", Array(text.utf8))
        #expect(throws: OrganizationDirectory.Failure.self) { try rollout() }
        try test.directory.remove("rings/rollout.json")
        #expect(throws: OrganizationDirectory.Failure.self) { try rollout() }
    }

    @Test func `an interrupted step is done again`() throws {
        let steps = try begin()
        try report(serial: 8)
        // Moved, and not removed.
        try test.directory.write(place, document(steps[1], serial: 9).encoded())
        #expect(try rollout()?.nextShare == 100)
        #expect(try verdict() == .waiting)
    }

    @Test func `a push without rings is for all, and nothing waits any more`() throws {
        try begin()
        try test.directory.replace(
            signed: place, with: document(RingStep(former), serial: 20).encoded(), then: [])
        #expect(try test.directory.waitingSteps().isEmpty)
        #expect(try rollout() == nil)
    }

    @Test func `what is in a ring stays there until another is asked for`() throws {
        try begin()
        #expect(try push.changes.isEmpty)
        let former = try test.directory.signedPolicies(by: test.root, of: test.organization)[0]
        let late = PolicyPush(
            [WantedPolicy(slot, new, from: "level2.json")], signed: [former], isPruning: false,
            at: test.now + 80 * day)
        let change = try #require(late.changes.first)
        #expect(change.action == .renewed)
        #expect(change.steps(nil, waiting: [25, 100]).map(\.share) == [5, 25, 100])
        #expect(change.steps(nil, waiting: [])[0].ring == former.ring)
        // A corrected one begins again, over what was there before both.
        let better = PolicyPush(
            [WantedPolicy(slot, Array("{}".utf8), from: "level2.json")], signed: [former],
            isPruning: false, at: test.now)
        let plan = RingPlan([5], for: better, test.survey)
        let step = try #require(better.changes.first).steps(plan, waiting: [25, 100])[0]
        #expect(try PolicyPair(parsing: step.content).former == self.former)
    }
}

extension RingStep {
    /// For all.
    fileprivate init(_ content: [UInt8]) {
        self.init(share: 100, ring: nil, content: content)
    }
}
