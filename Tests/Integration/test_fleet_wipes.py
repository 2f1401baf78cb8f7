"""What destroys needs two: a policy wipes only where enough order keys have signed it, too."""
import json
import time
import unittest

from signing import DAY, Key
from test_fleet import RULES, Fleet
from workspace import ANN, CLOSED, DONE, REFUSED, SETTINGS, WRONG_PASSPHRASE, wait_until

GROUP = "#microsoft.graph.groupAssignmentTarget"
EXCLUSION = "#microsoft.graph.exclusionGroupAssignmentTarget"


class Wipes(Fleet):
    settings = {
        **SETTINGS, "LockGraceSeconds": 0, "Probes": {"OsVersion": ["/bin/sh", "-c", "echo 12.4"]}}

    def setUp(self):
        super().setUp()
        self.join_with_policy()
        self.account_id = self.account()
        self.wrong = self.workspace.secret("wrong", "not it")

    def policy(self, orderers=0, **rules):
        """With the signatures of so many order keys beside the policy key's."""
        name = rules.pop("name", "level.json")
        keys = self.contoso.keys["policy"] + self.contoso.keys["order"][:orderers]
        return self.contoso.policy({**RULES, **rules}, name=name, keys=keys)

    def block(self):
        account = self.workspace.account()
        return account and account["block"]

    def assert_intact_once_all_is_well(self):
        """The account is closed, and has lost nothing once the policy is good again."""
        self.assertFalse(self.is_readable())
        self.assertTrue(self.workspace.on_disk("file").exists())
        self.deliver(self.policy())
        self.deliver(self.contoso.time())
        # A wrong passphrase makes the next one wait.
        wait_until(lambda: self.login(self.workspace.passfile).returncode == DONE)
        self.assertTrue(self.is_readable())

    def login(self, passfile):
        return self.workspace.serving("account login", ANN, "--passfile", passfile, status=None)

    def assert_wiped(self):
        wait_until(lambda: self.workspace.account() is None)
        wait_until(lambda: not self.file.exists())

    def withdraw(self, name="level.json"):
        self.deliver(self.contoso.document("policy", b"", name=name))

    def show_warnings(self):
        return " ".join(
            json.loads(self.workspace.serving("policy show", ANN, "--json").stdout)["warnings"])

    # Versions

    def test_a_policy_key_wipes_by_no_version(self):
        self.deliver(self.policy(minimumWipeOsVersion="99.0"))
        wait_until(lambda: self.block() == "launch")
        self.assertIn("minimumWipeOsVersion", self.show_warnings())
        self.workspace.unlock(status=CLOSED)
        self.workspace.unmount()
        self.workspace.mount()
        self.assertEqual(self.block(), "launch")
        self.assert_intact_once_all_is_well()
        self.assertEqual(self.show_warnings(), "")

    def test_nor_with_one_order_key(self):
        self.deliver(self.policy(1, minimumWipeOsVersion="99.0"))
        wait_until(lambda: self.block() == "launch")
        self.assert_intact_once_all_is_well()

    def test_with_two_order_keys_it_does(self):
        self.deliver(self.policy(2, minimumWipeOsVersion="99.0"))
        self.assert_wiped()

    def test_what_order_keys_sign_later_wipes_from_then_on(self):
        serial, issued = self.contoso.serials + 1, int(time.time())
        orderers = self.contoso.keys["order"]
        for extra in ([], orderers[:1], orderers[1:2]):
            self.assertEqual(self.block() or "launch", "launch")
            self.deliver(self.contoso.policy(
                {**RULES, "minimumWipeOsVersion": "99.0"}, serial=serial, issued=issued,
                keys=self.contoso.keys["policy"] + extra))
        self.assert_wiped()

    def test_an_order_keys_policy_wipes_no_more_once_its_keys_are_taken_away(self):
        self.deliver(self.policy(2, periodOfflineBeforeWipeIsEnforced="P1D"))
        self.assertEqual(self.show_warnings(), "")
        self.contoso.keys["order"] = [Key(), Key()]
        self.deliver(self.contoso.root(serial=2))
        self.assertIn("periodOfflineBeforeWipeIsEnforced", self.show_warnings())
        self.deliver(self.contoso.time())
        self.assertTrue(self.is_readable())
        self.offline_for(2)
        self.assertEqual(self.block(), "offline")
        self.assert_intact_once_all_is_well()

    # Time offline

    def offline_for(self, days):
        """As after so many days in which nothing arrived."""
        self.workspace.unmount()
        record = self.workspace.state / "enrollment" / self.account_id
        counts = json.loads(record.read_text())
        record.write_text(json.dumps({**counts, "sinceCheckIn": days * DAY}))
        path = self.workspace.state / "fleet" / "standing.json"
        standing = json.loads(path.read_text())
        standing["documents"] = [
            document for document in standing["documents"]
            if not document["payloadType"].endswith("time+json")]
        path.write_text(json.dumps(standing))
        for document in self.workspace.policies.iterdir():
            document.unlink()
        self.workspace.mount()
        wait_until(lambda: self.block() is not None)

    def test_a_policy_key_wipes_by_no_time_and_no_withdrawal(self):
        self.deliver(self.policy(periodOfflineBeforeWipeIsEnforced="PT1S"))
        self.deliver(self.contoso.time())
        # A second counts as a day.
        self.assertTrue(self.is_readable())
        self.assertEqual(self.rule("periodOfflineBeforeWipeIsEnforced"), "P1D")
        self.offline_for(2)
        self.assertEqual(self.block(), "offline")
        self.withdraw()
        self.deliver(self.contoso.time())
        wait_until(lambda: self.block() == "launch")
        self.assert_intact_once_all_is_well()

    def test_withdrawing_wipes_nothing_either_where_order_keys_have_signed(self):
        self.deliver(self.policy(2, periodOfflineBeforeWipeIsEnforced="P1D"))
        self.offline_for(2)
        wait_until(lambda: self.block() == "offlineWipe")
        self.withdraw()
        self.deliver(self.contoso.time())
        self.workspace.serving("account check-in")
        self.assertEqual(self.block(), "offlineWipe")
        self.assert_intact_once_all_is_well()

    def test_with_two_order_keys_wrong_passphrases_wipe_after_the_time(self):
        self.deliver(self.policy(
            2, periodOfflineBeforeWipeIsEnforced="P1D", maximumPinRetries=1))
        self.offline_for(2)
        wait_until(lambda: self.block() == "offlineWipe")
        self.deliver(self.contoso.time())
        self.login(self.wrong)
        self.assert_wiped()

    # Passphrases

    def test_a_policy_keys_tries_and_an_order_keys_wipe_lock_out_only(self):
        self.deliver(self.policy(
            2, name="wiping.json", pinRequired=True, maximumPinRetries=5,
            appActionIfMaximumPinRetriesExceeded="wipe", minimumWipeOsVersion="10"))
        self.deliver(self.policy(maximumPinRetries=1))
        self.assertTrue(self.is_readable())
        self.workspace.serving("lock", ANN)
        self.workspace.unlock(passfile=self.wrong, status=WRONG_PASSPHRASE)
        self.assertEqual(self.block(), "lockedOut")
        # A version that only the one asks for is no wipe of the other's.
        self.deliver(self.policy(minimumWipeOsVersion="99.0"))
        self.assert_intact_once_all_is_well()

    # Groups

    def membership(self, *members, orderers=0):
        self.deliver(self.contoso.document(
            "membership", {"groups": [], "members": {"staff": list(members)}}, name="groups",
            keys=self.contoso.keys["policy"] + self.contoso.keys["order"][:orderers]))

    def of_staff(self, **rules):
        return {"assignments": [{"target": {"@odata.type": GROUP, "groupId": "staff"}}], **rules}

    def test_a_policy_key_puts_nobody_under_a_wipe(self):
        # A group that is not known has everybody: what tells its members may be held back.
        self.deliver(self.policy(
            2, name="staff.json", **self.of_staff(minimumWipeOsVersion="99.0")))
        wait_until(lambda: self.block() == "launch")
        self.membership()
        wait_until(lambda: self.block() is None)
        self.membership(ANN)
        wait_until(lambda: self.block() == "launch")
        self.membership()
        wait_until(lambda: self.block() is None)
        self.membership(ANN, orderers=2)
        self.assert_wiped()

    # What covers the rest

    def test_nor_by_withdrawing_what_a_default_stands_back_for(self):
        self.deliver(self.policy(2, name="default.json", minimumWipeOsVersion="99.0", **{
            "@odata.type": "#microsoft.graph.defaultManagedAppProtection"}))
        self.deliver(self.contoso.time())
        self.assertTrue(self.is_readable())
        self.withdraw()
        wait_until(lambda: self.block() == "launch")
        self.assertIn("minimumWipeOsVersion", self.show_warnings())
        self.assert_intact_once_all_is_well()

    def test_nor_by_replacing_one_of_the_memberships_of_an_excluded_group(self):
        def membership(name, *members, orderers):
            self.deliver(self.contoso.document(
                "membership", {"groups": [], "members": {"board": list(members)}}, name=name,
                keys=self.contoso.keys["policy"] + self.contoso.keys["order"][:orderers]))

        membership("one", ANN, orderers=2)
        membership("two", "bob@contoso.com", orderers=2)
        self.deliver(self.policy(
            2, name="all.json", minimumWipeOsVersion="99.0", assignments=[
                {"target": {"@odata.type": EXCLUSION, "groupId": "board"}}]))
        self.assertIsNone(self.block())
        membership("one", orderers=0)
        wait_until(lambda: self.block() == "launch")
        self.withdraw("all.json")
        self.assert_intact_once_all_is_well()

    # Roots

    def test_nor_by_what_a_former_key_had_replaced(self):
        """The policy that it withdrew comes again once that key is taken away."""
        policy, orderers = self.contoso.keys["policy"], self.contoso.keys["order"][:2]
        self.contoso.keys["policy"] = [*policy, Key()]
        self.deliver(self.contoso.root(serial=2))
        old = self.contoso.policy(
            {**RULES, "minimumWipeOsVersion": "99.0"}, name="old.json", keys=policy + orderers,
            issued=int(time.time()) - 60)
        self.deliver(self.contoso.document(
            "policy", b"", name="old.json", keys=self.contoso.keys["policy"][1:]))
        self.deliver(old, status=REFUSED)
        self.contoso.keys["policy"] = policy
        self.deliver(self.contoso.root(serial=3))
        self.deliver(old)
        wait_until(lambda: self.block() == "launch")
        self.withdraw("old.json")
        self.assert_intact_once_all_is_well()

    def test_who_leaves_a_group_is_not_covered_by_a_recovery_key(self):
        public = json.loads(self.workspace.ctl(
            "recovery", "keygen", "--json", "-o", self.workspace.root / "org.key",
            "--no-passphrase").stdout)["publicKey"]
        self.membership(ANN)
        self.deliver(self.policy(name="staff.json", **self.of_staff()))
        self.deliver(self.contoso.document(
            "policy", {"displayName": "Recovery", "mamdRecoveryPublicKey": public},
            name="recovery.json",
            keys=self.contoso.keys["policy"] + self.contoso.keys["order"][:2]))
        self.withdraw()
        self.deliver(self.contoso.time())
        self.assertTrue(self.is_readable())
        self.assertEqual(self.rule("mamdRecoveryPublicKey"), public)
        self.membership()
        wait_until(lambda: self.block() == "launch")
        self.assertFalse(self.is_readable())
        self.workspace.unlock(status=CLOSED)
        listed = json.loads(self.workspace.serving("account list", "--json").stdout)
        self.assertIn("no policy that Contoso has signed covers it", json.dumps(listed))
        self.membership(ANN)
        wait_until(lambda: self.block() is None)
        self.workspace.unlock()
        self.assertTrue(self.is_readable())


if __name__ == "__main__":
    unittest.main()
