#!/usr/bin/python3
"""Follows an address as a browser does: browse.py ADDRESS.

Notes it in the file BROWSED. STRAY: knocks with other states first. SLOW: so many others are
connected before, who say a byte now and then. DENIED: its person refuses.
"""
import os
import socket
import ssl
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request


def note(line):
    with open(os.environ["BROWSED"], "a") as log:
        log.write(line + "\n")


def others(state):
    """All that differ from it by the lowest bit of one byte."""
    for place, byte in enumerate(state):
        yield state[:place] + urllib.parse.quote(chr(ord(byte) ^ 1)) + state[place + 1:]


address = sys.argv[1]
note(address)
query = dict(urllib.parse.parse_qsl(address.partition("?")[2]))
if os.environ.get("STRAY"):
    for stray in (
            *("/?code=x&state=" + other for other in others(query["state"])),
            "/?code=x&state=" + query["state"][:-1], "/?code=x", "/favicon.ico",
            "/?state=%zz&code=x",
            "/?code=x&state=" + query["state"] + "&state=" + query["state"]):
        try:
            urllib.request.urlopen(query["redirect_uri"] + stray)
            sys.exit(f"a stray request was accepted: {stray}")
        except urllib.error.HTTPError as error:
            note(f"stray {error.code}")


def trickle(port):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connected.release()
        while True:
            try:
                connection.send(b"G")
            except OSError:
                return
            time.sleep(0.5)


connected = threading.Semaphore(0)
for _ in range(int(os.environ.get("SLOW", "0"))):
    port = urllib.parse.urlsplit(query["redirect_uri"]).port
    threading.Thread(target=trickle, args=[port], daemon=True).start()
    connected.acquire()
if os.environ.get("DENIED"):
    answer = {"error": "access_denied", "state": query["state"]}
    urllib.request.urlopen(query["redirect_uri"] + "/?" + urllib.parse.urlencode(answer))
else:
    context = ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"])
    urllib.request.urlopen(address, context=context)
