"""Leaves a text in a directory, in all the forms in which a look at the disk has to find it.

    leave_text.py TEXT DIRECTORY
"""
import gzip
import os
import pathlib
import sys
import zipfile

text, directory = sys.argv[1], pathlib.Path(sys.argv[2])
(directory / "plain").write_text("x" * 5000 + text)
(directory / "wide").write_bytes(b"x" + text.encode("utf-16-le"))
with gzip.open(directory / "packed.gz", "wt") as packed:
    packed.write(text)
with zipfile.ZipFile(directory / "packed.odt", "w", zipfile.ZIP_DEFLATED) as packed:
    packed.writestr("content.xml", text)
(directory / "removed").write_text(text)
os.unlink(directory / "removed")
