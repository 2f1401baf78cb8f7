"""The issuer of scripts/fleet-demo: whoever asks to sign in is who they say.

    demo_issuer.py ADDRESS PORT DIRECTORY      its certificate becomes DIRECTORY/issuer.pem
"""
import pathlib
import signal
import sys

from issuer import Issuer


class Believer(Issuer):
    def authorize(self, query):
        name = query["login_hint"]
        self.person = {"preferred_username": name, "oid": f"object of {name}"}
        return super().authorize(query)


if __name__ == "__main__":
    Believer(pathlib.Path(sys.argv[3]), sys.argv[1], int(sys.argv[2]))
    print("ready", flush=True)
    signal.pause()
