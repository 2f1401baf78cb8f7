"""Talks to a mamd socket with PyPI's `varlink`, a client that we did not write.

    pypi_varlink.py SOCKET [PATH]

Introspects the service, calls Status and ListAccounts, and ProtectionInfo for PATH; prints JSON.
Fails if the interface cannot be parsed, or a call is refused. Needs the package: pip install
--target DIR varlink
"""
import json
import sys

import varlink

WORKSPACE = "io.mamd.Workspace"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    # Creating the client asks GetInfo, and GetInterfaceDescription for each interface that is
    # opened; the package parses what it gets, and refuses a reply that does not fit the
    # description.
    client = varlink.Client(address=f"unix:{sys.argv[1]}")
    with client.open("org.varlink.service") as service:
        answers = {"info": service.GetInfo()}
    assert WORKSPACE in answers["info"]["interfaces"], answers["info"]
    with client.open(WORKSPACE) as workspace:
        answers["description"] = client.get_interface(WORKSPACE).get_description()
        answers["status"] = workspace.Status()
        answers["accounts"] = workspace.ListAccounts()["accounts"]
        # Not their seconds, which pass between the calls.
        told, again = (
            [account["id"] for account in reply["accounts"]]
            for reply in (answers, answers["status"]))
        assert told == again, answers
        if len(sys.argv) == 3:
            answers["protection"] = workspace.ProtectionInfo(path=sys.argv[2])["protection"]
        try:
            workspace.Lock(account="nobody@nowhere.example")
            sys.exit("an unknown account was not refused")
        except varlink.VarlinkError as error:
            answers["refusal"] = error.as_dict()
            assert error.error() == f"{WORKSPACE}.UnknownAccount", error
    print(json.dumps(answers, indent=2))


if __name__ == "__main__":
    main()
