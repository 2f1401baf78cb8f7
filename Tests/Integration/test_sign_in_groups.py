"""Groups that a token tells."""
import unittest

from enrolling import DEBUG, PLAIN
from sign_in_case import OID, SignInCase
from workspace import ANN, REFUSED

GROUP = "9f6e6c1e-3b0a-4f0e-9a27-0c7f6a1d2b3c"


class Groups(SignInCase):
    policy = {**PLAIN, "id": "of-the-group", "assignments": [
        {"target": {
            "@odata.type": "#microsoft.graph.groupAssignmentTarget", "groupId": GROUP}}]}

    def test_groups_of_the_token_choose_policies(self):
        self.issuer.person["groups"] = ["another-group"]
        self.mount(printBlocked=True)
        self.register()
        self.assertEqual(self.workspace.account()["stage"], "registered")
        self.issuer.person["groups"] = [GROUP.upper()]
        self.login()
        self.assertEqual(self.workspace.account()["stage"], "enrolled")
        self.workspace.remount()
        self.assertEqual(self.workspace.account()["stage"], "enrolled")
        self.refresh()
        self.assertEqual(self.workspace.account()["stage"], "enrolled")
        # Too many for a token: nobody knows, and then the stricter counts.
        self.issuer.person = {
            "preferred_username": ANN, "oid": OID, "_claim_names": {"groups": "src1"}}
        self.refresh()
        self.assertEqual(self.workspace.account()["stage"], "enrolled")
        self.issuer.person = {"preferred_username": ANN, "oid": OID, "groups": []}
        self.refresh()
        self.workspace.serving("account check-in")
        self.assertEqual(self.workspace.account()["stage"], "registered")

    def test_groups_hold_for_the_passphrase_of_a_new_account(self):
        self.issuer.person["groups"] = [GROUP]
        self.mount(pinRequired=True, minimumPinLength=40)
        self.assertIn("40", self.register(status=REFUSED).stderr)
        self.issuer.person["groups"] = []
        self.register()


class KnownGroups(SignInCase):
    """The daemon knows the group, and not that the person is in it: the token alone tells."""
    settings = {
        **DEBUG, "MAMPolicyRequired": True, "Groups": {GROUP: ["someone@contoso.com"]}}
    policy = Groups.policy

    def setUp(self):
        super().setUp()
        self.issuer.person["groups"] = [GROUP]
        self.mount()
        self.register()
        self.assertEqual(self.workspace.account()["stage"], "enrolled")

    def test_a_machine_whose_accounts_need_a_policy_starts_again(self):
        self.workspace.remount()
        self.assertEqual(self.workspace.account()["stage"], "enrolled")

    def test_a_token_that_says_nothing_of_groups_takes_none_back(self):
        self.issuer.person = {
            "preferred_username": ANN, "oid": OID, "_claim_names": {"groups": "src1"}}
        self.refresh()
        self.workspace.serving("account check-in")
        self.assertEqual(self.workspace.account()["stage"], "enrolled")


if __name__ == "__main__":
    unittest.main()
