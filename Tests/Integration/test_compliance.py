"""What Intune's custom compliance on Linux gets: one line of JSON for each of its rules, whatever
the daemon does."""
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

import jsonschema

from signing import DAY, Organization
from workspace import ANN, DONE, ROOT, SETTINGS, USAGE, Workspace, wait_until

NEEDS = ("python3-jsonschema",)

EXAMPLE = ROOT / "examples" / "intune"
RULES = {
    "displayName": "Level", "appDataEncryptionType": "whenDeviceLocked", "pinRequired": False}

# Microsoft's "Custom compliance JSON files for Microsoft Intune", as of August 2025.
OPERATORS = ["IsEquals", "NotEquals", "GreaterThan", "GreaterEquals", "LessThan", "LessEquals"]
OPERANDS = {
    "Boolean": {"type": "boolean"}, "Int64": {"type": "integer"}, "Double": {"type": "number"},
    "String": {"type": "string"}, "DateTime": {"type": "string", "format": "date-time"},
    "Version": {"type": "string", "pattern": r"^\d+(\.\d+){1,3}$"}}
LANGUAGES = [
    "cs_CZ", "da_DK", "de_DE", "el_GR", "en_US", "es_ES", "fi_FI", "fr_FR", "hu_HU", "it_IT",
    "ja_JP", "ko_KR", "nb_NO", "nl_NL", "pl_PL", "pt_BR", "ro_RO", "ru_RU", "sv_SE", "tr_TR",
    "zh_CN", "zh_TW"]
TEXT = {"type": "string", "minLength": 1}
MAXIMUM_BYTES = 100_000


def closed(**properties):
    return {
        "type": "object", "properties": properties, "required": list(properties),
        "additionalProperties": False}


REMEDIATION = closed(Language={"enum": LANGUAGES}, Title=TEXT, Description=TEXT)
RULE = {
    **closed(
        SettingName=TEXT, Operator={"enum": OPERATORS}, DataType={"enum": list(OPERANDS)},
        Operand={}, MoreInfoUrl={"type": "string", "pattern": "^https://"},
        RemediationStrings={
            "type": "array", "items": REMEDIATION,
            "contains": {"properties": {"Language": {"const": "en_US"}}}}),
    "allOf": [
        {"if": {"properties": {"DataType": {"const": name}}},
         "then": {"properties": {"Operand": operand}}} for name, operand in OPERANDS.items()]}
DOCUMENTED = closed(Rules={"type": "array", "items": RULE, "minItems": 1, "maxItems": 100})

COMPARE = {
    "IsEquals": lambda value, operand: value == operand,
    "NotEquals": lambda value, operand: value != operand,
    "GreaterThan": lambda value, operand: value > operand,
    "GreaterEquals": lambda value, operand: value >= operand,
    "LessThan": lambda value, operand: value < operand,
    "LessEquals": lambda value, operand: value <= operand}


def example_rules():
    return json.loads((EXAMPLE / "compliance.json").read_text())["Rules"]


def unmet(facts):
    """The settings whose rule the facts do not meet."""
    def value(rule, which):
        return tuple(map(int, which.split("."))) if rule["DataType"] == "Version" else which

    return {
        rule["SettingName"] for rule in example_rules()
        if not COMPARE[rule["Operator"]](
            value(rule, facts[rule["SettingName"]]), value(rule, rule["Operand"]))}


class ComplianceCase(unittest.TestCase):
    settings = SETTINGS

    def setUp(self):
        self.workspace = Workspace(settings=self.settings, policy=RULES)
        self.addCleanup(self.workspace.close)

    def begin(self):
        self.workspace.init().mount().register()

    def facts(self):
        """What it prints; and the schema says the same of it."""
        said = self.asked().stdout
        self.assertEqual(said.count("\n"), 1)
        self.assertTrue(said.endswith("\n"))
        return json.loads(said)

    def asked(self):
        """Again where a loaded machine keeps the daemon from an answer within the second."""
        answers = []

        def is_answered():
            answers.append(self.workspace.ctl("compliance", "--intune", "--json"))
            return "did not answer in time" not in answers[-1].stderr

        wait_until(is_answered, message="no answer in time")
        return answers[-1]

    def assert_nothing_is_known(self, facts):
        self.assertEqual(
            {name: value for name, value in facts.items() if isinstance(value, bool) and value}, {})
        self.assertEqual((facts["MamdVersion"], facts["MamdClass"]), ("0.0.0", ""))
        self.assertEqual(unmet(facts), {rule["SettingName"] for rule in example_rules()})


class Rules(ComplianceCase):
    def test_the_example_is_as_intune_documents_it(self):
        text = (EXAMPLE / "compliance.json").read_bytes()
        self.assertLess(len(text), MAXIMUM_BYTES)
        jsonschema.Draft202012Validator.check_schema(DOCUMENTED)
        jsonschema.validate(json.loads(text), DOCUMENTED)
        names = [rule["SettingName"] for rule in example_rules()]
        self.assertEqual(len(names), len(set(names)))

    def test_each_rule_is_about_what_is_printed(self):
        facts = self.facts()
        schema = json.loads((ROOT / "docs" / "schema" / "compliance.json").read_text())
        self.assertEqual(set(facts), set(schema["properties"]))
        for rule in example_rules():
            with self.subTest(rule=rule["SettingName"]):
                value = facts[rule["SettingName"]]
                jsonschema.validate(value, OPERANDS[rule["DataType"]])
                self.assertIs(type(value), type(rule["Operand"]))

    def test_each_setting_is_documented(self):
        text = (ROOT / "docs" / "INTUNE.md").read_text()
        self.assertEqual(set(re.findall(r"`(Mamd\w+)`", text)), set(self.facts()))


class Answers(ComplianceCase):
    def test_all_is_well(self):
        self.begin()
        facts = self.facts()
        self.assertEqual(
            {**facts, "MamdContained": None}, {
                "MamdVersion": self.workspace.status()["version"], "MamdMounted": True,
                "MamdAccountRegistered": True, "MamdPolicyApplies": True, "MamdCompliant": True,
                "MamdLocked": False, "MamdClass": "A", "MamdThreatLevel": 4, "MamdContained": None,
                "MamdFleetJoined": False, "MamdFleetCurrent": False, "MamdPolicySerial": 0,
                "MamdPolicyAgeDays": 36500, "MamdCheckInAgeDays": 0})
        for level, number in ("secured", 0), ("low", 1), ("medium", 2), ("high", 3):
            self.workspace.serving("threat set", level)
            self.assertEqual(self.facts()["MamdThreatLevel"], number)
        self.workspace.lock()
        facts = self.facts()
        self.assertEqual((facts["MamdLocked"], facts["MamdCompliant"]), (True, True))
        self.workspace.serving("account deregister", ANN, "--keep")
        facts = self.facts()
        self.assertEqual(
            (facts["MamdAccountRegistered"], facts["MamdCompliant"], facts["MamdLocked"]),
            (False, False, False))

    def test_an_account_that_policy_closes_is_not_compliant(self):
        self.begin()
        (document,) = self.workspace.policies.glob("*.json")
        document.write_text(json.dumps({
            **RULES, "deviceComplianceRequired": True,
            "appActionIfDeviceComplianceRequired": "block"}))
        self.workspace.serving("account check-in")
        facts = self.facts()
        self.assertEqual((facts["MamdPolicyApplies"], facts["MamdCompliant"]), (True, False))
        document.unlink()
        self.workspace.serving("account check-in")
        facts = self.facts()
        self.assertEqual(
            (facts["MamdAccountRegistered"], facts["MamdPolicyApplies"], facts["MamdCompliant"]),
            (True, False, False))

    def test_a_machine_of_an_organisation(self):
        self.begin()
        contoso = Organization()
        policy = contoso.policy(RULES, name="level.json", serial=17)
        older = contoso.policy(
            RULES, name="older.json", serial=99, issued=int(time.time()) - 9 * DAY)
        places = {"root": contoso.root(), "policy": policy, "older": older,
                  "time": contoso.time({"policy/all/level.json": 17, "policy/all/older.json": 99})}
        for name, document in places.items():
            (self.workspace.root / name).write_bytes(document)
        self.workspace.serving(
            "fleet join", *(self.workspace.root / name for name in places),
            "--fingerprint", contoso.fingerprint)
        facts = self.facts()
        self.assertEqual(
            (facts["MamdFleetJoined"], facts["MamdFleetCurrent"], facts["MamdPolicySerial"],
             facts["MamdPolicyAgeDays"]), (True, True, 17, 0))
        contained = facts["MamdContained"]
        # By a clock ahead: how old it is nobody knows.
        ahead = self.workspace.root / "ahead"
        ahead.write_bytes(contoso.policy(
            RULES, name="ahead.json", serial=18, issued=int(time.time()) + 9 * DAY, days=30))
        self.workspace.serving("fleet deliver", ahead)
        self.assertEqual(self.facts()["MamdPolicyAgeDays"], 36500)
        now = self.workspace.root / "now"
        now.write_bytes(contoso.policy(RULES, name="ahead.json", serial=19))
        self.workspace.serving("fleet deliver", now)
        self.workspace.serving("threat set", "secured")
        self.assertEqual(unmet(self.facts()), set() if contained else {"MamdContained"})

    def test_a_probe_tells_the_threat_level(self):
        answer = self.workspace.root / "threat"
        answer.write_text("medium")
        self.workspace.settings.write_text(json.dumps({
            **SETTINGS, "Probes": {"ThreatLevel": ["/bin/cat", str(answer)]}}))
        self.workspace.policy = {
            **RULES, "maximumAllowedDeviceThreatLevel": "high",
            "mobileThreatDefenseRemediationAction": "block"}
        self.begin()
        self.assertEqual(self.facts()["MamdThreatLevel"], 2)
        answer.write_text("perhaps")
        self.workspace.serving("account check-in")
        self.assertEqual(self.facts()["MamdThreatLevel"], 4)


class Silence(ComplianceCase):
    """Status 0 and a whole line, whatever is wrong."""

    def test_nothing_is_mounted(self):
        self.assert_nothing_is_known(self.facts())
        self.workspace.init()
        self.assert_nothing_is_known(self.facts())

    def test_the_daemon_is_stopped_or_dead(self):
        self.begin()
        daemon = self.workspace.daemon()
        os.kill(daemon, signal.SIGSTOP)
        self.addCleanup(self.wake, daemon)
        # Any other call to it takes five seconds at least.
        told = self.workspace.ctl("compliance", "--intune", timeout=4)
        self.assert_nothing_is_known(json.loads(told.stdout))
        self.assertIn("did not answer in time", told.stderr)
        os.kill(daemon, signal.SIGKILL)
        wait_until(lambda: not os.path.exists(f"/proc/{daemon}/exe"))
        self.assert_nothing_is_known(self.facts())

    @staticmethod
    def wake(daemon):
        with contextlib.suppress(ProcessLookupError):
            os.kill(daemon, signal.SIGCONT)

    def test_the_option_is_required(self):
        self.workspace.ctl("compliance", status=USAGE)
        self.workspace.ctl("compliance", "chekc", status=USAGE)


class Discovery(ComplianceCase):
    def run_script(self, **environment):
        done = subprocess.run(
            [EXAMPLE / "discover.sh"], capture_output=True, text=True, timeout=60,
            env={**self.workspace.environment, **environment})
        self.assertEqual((done.returncode, done.stderr), (DONE, ""))
        self.assertEqual(done.stdout.count("\n"), 1)
        return json.loads(done.stdout)

    def test_the_script_prints_what_the_verb_does(self):
        self.begin()
        facts = self.facts()
        wait_until(lambda: self.run_script() == facts, message=lambda: f"{self.run_script()}")

    def test_a_machine_without_mamd_is_not_mounted(self):
        self.assertEqual(self.run_script(PATH="/nonexistent"), {"MamdMounted": False})

    def test_it_is_a_posix_script(self):
        if shutil.which("shellcheck"):
            subprocess.run(
                ["shellcheck", "--shell=sh", EXAMPLE / "discover.sh"], check=True, timeout=60)


if __name__ == "__main__":
    unittest.main()
