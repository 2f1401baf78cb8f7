"""What a compromised engine sends: all that somebody can who may write everything and sign nothing.

The attacker has the administrator's credentials of the engine, and every document that there was.
"""
import base64
import json
import os
import random

from fleet_swarm import bundle
from signing import Key, Organization


def changed(document, **members):
    return json.dumps({**json.loads(document), **members}).encode()


class Attacker:
    def __init__(self, organization, past):
        """`past`: the organisation's documents so far, oldest first."""
        self.organization, self.past = organization, past
        self.thief = Organization()
        self.thief.id = organization.id

    def made(self, kind, content, keys, **options):
        """Not the organisation's: `document` of Signer would remember it as signed."""
        return Organization.document(self.organization, kind, content, keys=keys, **options)

    def forgeries(self, machine):
        """(name, document) of each way, for one machine."""
        keys, stolen = self.organization.keys, Key()
        wipe = {"action": "wipe", "account": "a1" * 16}
        mine = {"audience": f"machine:{machine}", "serial": 1}
        policy = self.past[-1]
        rules = {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "pinRequired": False}
        for name, key in (("a key of one's own", [stolen]), ("an order key", keys["order"][:1]),
                          ("the time key", keys["time"])):
            yield f"a policy by {name}", self.made(
                "policy", rules, key, name="level.json", serial=10**6)
        for name, key in (("one order key", keys["order"][:1]), ("one order key twice",
                          keys["order"][:1] * 2), ("the policy key", keys["policy"] * 2),
                          ("two keys of one's own", [stolen, Key()])):
            yield f"a wipe by {name}", self.made(
                "order", wipe, key, name=os.urandom(16).hex(), **mine)
        yield "a time by the policy key", self.made(
            "time", {"heads": {}}, keys["policy"], name="time", serial=10**6)
        yield "a root by own keys", self.thief.root(serial=2)
        yield "a policy of another organisation's", Organization().policy(rules)
        yield "a policy with other content", changed(
            policy, content=base64.b64encode(b'{"pinRequired": false}').decode())
        yield "a policy under another's type", changed(
            policy, payloadType="application/vnd.mamd.membership+json")
        statement = json.loads(base64.b64decode(json.loads(policy)["payload"]))
        yield "a policy with another serial", changed(policy, payload=base64.b64encode(
            json.dumps({**statement, "serial": 10**6}).encode()).decode())
        yield "an order with another machine", changed(policy, signatures=[])

    def replays(self, machine, orders):
        """Documents that were right once, or are for another machine."""
        yield from random.sample(self.past[:-1], min(15, len(self.past) - 1))
        yield from orders
        elsewhere = [order for order in orders if machine.encode() not in base64.b64decode(
            json.loads(order)["payload"])]
        yield from elsewhere[:5]

    def garbage(self):
        """No bundles at all, and such as cost a reader much."""
        policy = self.past[-1]
        yield from (b"", b"[]", b"{}", b"null", b"[" * 100_000, b'["' + b"\\" * 65_537,
                    bundle(policy)[:-500], b"\xff" * 10_000, os.urandom(1 << 20),
                    b'[{"payloadType":' + b"[" * 50_000 + b"]" * 50_000 + b"}]",
                    b"[" + b",".join([b"{}"] * 5000) + b"]", b"[" + b" " * (4 << 20) + b"]",
                    bundle(*[policy] * 100), b'[{"payload":1,"payload":"","signatures":{}}]')

    def subjects(self, machine, group):
        return ("docs.all", f"docs.m.{machine}", f"docs.g.{group}", "docs.roots", "docs.time")

    def attack(self, client, machine, group, orders):
        """How many messages were sent."""
        messages = [bundle(document) for _, document in self.forgeries(machine)]
        messages += [bundle(document) for document in self.replays(machine, orders)]
        random.shuffle(messages)
        garbage = list(self.garbage())
        for message in messages:
            client.publish(random.choice(self.subjects(machine, group)), message)
        for message in garbage:
            client.publish(f"docs.m.{machine}", message)
        client.request("$JS.API.INFO")
        return len(messages) + len(garbage)
