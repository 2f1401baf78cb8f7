import MAMLocks
import MAMModel
import MAMPolicy
import MAMSettings
import MAMSystem
import TestSupport
import Testing

@testable import MAMEnrollment

/// Programs that are asked and told.
@Suite struct CommandTests {
    private func shell(_ script: String, input: String = "", seconds: Int = 120) -> CommandResult {
        runCommand(
            ["/bin/sh", "-c", script], input: Array(input.utf8), timeoutSeconds: seconds)
    }

    @Test func `its answer is its first line, trimmed`() {
        #expect(shell("printf '  two words \\nmore'").answer == "two words")
        #expect(shell("true").answer == nil)
        #expect(shell("echo no; exit 3").answer == nil)
    }

    @Test func `it reads its input to the end`() {
        #expect(shell("cat", input: "facts").answer == "facts")
        // One that does not read it ends all the same.
        #expect(shell("echo done", input: "facts").answer == "done")
    }

    /// More than a pipe holds: a thread of its own, for the call itself would not come back.
    @Test(arguments: [("cat | wc -c", "1048576"), ("echo done", "done")])
    func `input of any size is taken, read or not`(_ script: String, _ answer: String) {
        let input = String(repeating: "x", count: 1 << 20)
        let found = Guarded<String?>(nil)
        let ends = finishes(by: .patient, named: "teller") {
            let answer = shell(script, input: input).answer
            found.withLock { $0 = answer }
        }
        #expect(ends && found.withLock { $0 } == answer)
    }

    @Test func `it gets no environment of ours, and no ignored signal`() {
        #expect(shell("echo ${HOME-none}").answer == "none")
        #expect(shell("trap - PIPE; kill -PIPE $$; echo alive") == .ended(.killed(13), output: []))
    }

    @Test func `one that does not end is killed, with what it has started`() {
        #expect(shell("sleep 60 & sleep 60", seconds: 1) == .timedOut)
        #expect(shell("exec sleep 60 >&-", seconds: 1) == .timedOut)
    }

    /// A pipe that is never empty: then nobody would look at the time.
    @Test func `output without a pause is not read for ever`() throws {
        let endless = try openFile("/dev/zero", 0)
        let ends = finishes(by: .patient, named: "reader") {
            var bytes: [UInt8] = []
            #expect(takeAvailable(endless, into: &bytes))
        }
        #expect(ends)
    }

    @Test func `what it leaves behind is not waited for`() {
        #expect(shell("sleep 40 & echo here", seconds: 30).answer == "here")
    }

    @Test func `one that is not there is an error`() {
        #expect(runCommand(["/nonexistent"], timeoutSeconds: 1) == .notStarted(.noEntry))
    }

    @Test func `long output is read and cut`() {
        guard case .ended(.exited(0), let output) = shell("head -c 1000000 /dev/zero") else {
            Issue.record("it did not end")
            return
        }
        #expect(output.count == 65_536)
    }

    @Test func `probes are asked for what policy has a condition on`() {
        var settings = Settings()
        settings.probes.osVersion = ["/bin/echo", "13.2"]
        settings.probes.threatLevel = ["/bin/echo", "low"]
        settings.probes.compliance = ["/bin/echo", "noncompliant"]
        settings.probes.clockStatus = ["/bin/echo", "out-stale"]
        let probes = LaunchProbes(settings)
        let nothing = probes.conditions(for: PolicyRules(), stated: nil)
        #expect(
            nothing.osVersion == nil && nothing.isCompliant == nil && nothing.clockStatus == nil)
        var rules = PolicyRules()
        rules.minimumWarningOsVersion = "1"
        rules.deviceComplianceRequired = true
        rules.maximumAllowedDeviceThreatLevel = .high
        rules.appActionIfAccountIsClockedOut = .block
        let all = probes.conditions(for: rules, stated: .secured)
        #expect(all.osVersion == "13.2" && all.isCompliant == false && all.threatLevel == .low)
        #expect(all.clockStatus == .clockedOutStale)
        let plain = LaunchProbes(Settings()).conditions(for: rules, stated: .medium)
        #expect(plain.osVersion?.isEmpty == false && plain.isCompliant == nil)
        #expect(plain.threatLevel == .medium && plain.clockStatus == .notConfigured)
        #expect(plain.guessed == [.sdkVersion, .appVersion, .osVersion, .deviceModel])
        #expect(all.guessed == [.sdkVersion, .appVersion, .deviceModel])
    }

    /// A model that wipes must not be the firmware's because the program that should tell it
    /// failed.
    @Test func `a probe that fails leaves a thing unknown`() {
        var settings = Settings()
        settings.probes.deviceModel = ["/bin/false"]
        settings.probes.sdkVersion = ["/bin/false"]
        var rules = PolicyRules()
        rules.allowedIosDeviceModels = "iPhone17,1"
        let found = LaunchProbes(settings).conditions(for: rules, stated: nil)
        #expect(found.deviceModel == nil && found.sdkVersion == nil)
    }
}
