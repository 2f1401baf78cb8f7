"""All machines as rows for a spreadsheet."""
import csv
import io
import unittest

from fleet_directory import Machine
from fleet_view import FleetCase
from signing import rfc3339
from workspace import USAGE


class Spreadsheet(FleetCase):
    # Intune's reportName MAMAppProtectionStatus
    columns = (
        "User Email App AppVersion SdkVersion AppInstanceId DeviceName DeviceHealth DeviceType "
        "DeviceManufacturer DeviceModel AndroidPatchVersion AADDeviceID MDMDeviceID Platform "
        "PlatformVersion ManagementType AppProtectionStatus Policy LastSync "
        "ComplianceState").split()

    def rows(self, *words):
        text = self.fleet("status", "--csv", *words).stdout
        self.assertTrue(text.endswith("\r\n"))
        self.assertNotIn("\n", text.replace("\r\n", ""))
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        self.assertEqual(rows[0], self.columns)
        return [dict(zip(self.columns, row, strict=True)) for row in rows[1:]]

    def test_a_row_for_each_account(self):
        org, now = self.organization, self.organization.now
        machine = org.add("pc-1")
        machine.say(
            accounts=[machine.account(level='Level "2", strict'), machine.account(
                1, name="bob", compliant=False, checkedIn=None)],
            facts={"system": "debian 13", "encrypted": None, "restartRequired": False})
        silent = Machine(org, "silent")
        silent.register()
        first, second, third = self.rows("--all")
        self.assertEqual({name: value for name, value in first.items() if value}, {
            "User": "person0@pc-1.example", "Email": "person0@pc-1.example", "App": "mamd",
            "AppVersion": "0.1.0", "SdkVersion": "0.1.0",
            "AppInstanceId": machine.account()["id"], "DeviceName": "pc-1",
            "DeviceHealth": "attention", "MDMDeviceID": machine.id, "Platform": "Linux",
            "PlatformVersion": "debian 13", "AppProtectionStatus": "Protected",
            "Policy": 'Level "2", strict', "LastSync": rfc3339(now - 3600),
            "ComplianceState": "Compliant"})
        self.assertEqual(
            (second["User"], second["Email"], second["AppProtectionStatus"], second["LastSync"],
             second["ComplianceState"]), ("bob", "", "Unprotected", "", "Noncompliant"))
        self.assertEqual(
            (third["User"], third["DeviceName"], third["MDMDeviceID"], third["DeviceHealth"]),
            ("", "silent", silent.id, "silent"))
        self.assertEqual(len(self.rows("--machine", "silent")), 1)
        self.fleet("status", "--csv", "--json", status=USAGE)

    def test_no_cell_is_a_formula(self):
        for number, start in enumerate((
                "=", "+", "-", "@", "\t=", "\r=", '"=', ";=", "\n=", ';"=', "a;;-")):
            machine = self.organization.add(f"{start}cmd|' /C calc'!A{number}")
            machine.say(accounts=[machine.account(
                name=f"{start}1+1", level=f"{start}HYPERLINK(1)")])
        rows = self.rows("--all")
        self.assertEqual(len(rows), 11)
        for row in rows:
            for value in row.values():
                self.assertNotRegex(value, r"^[=+\-@\t\r\n]")
        self.assertIn("'=1+1", [row["User"] for row in rows])
        # Where a semicolon parts cells, quotation marks do not keep those in one that a comma
        # goes before.
        text = self.fleet("status", "--all", "--csv").stdout
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=";"):
            for value in row:
                self.assertNotRegex(value, r"^[=+\-@\t\r\n]")
        for line in self.fleet("status", "--all", "--csv").stdout.split("\r\n")[1:-1]:
            self.assertRegex(line, r'^"(?:[^"]|"")*"(?:,"(?:[^"]|"")*")*$')


if __name__ == "__main__":
    unittest.main()
