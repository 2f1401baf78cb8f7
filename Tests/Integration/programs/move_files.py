"""Moves every file of a directory to a random one below it, until all are gone:
move_files.py DIRECTORY."""
import errno
import os
import random
import sys

root = sys.argv[1]
where = {name: root for name in os.listdir(root) if name.startswith("file")}
print("ready", flush=True)
while where:
    for name, place in list(where.items()):
        new = os.path.join(root, str(random.randrange(40)))
        try:
            os.rename(os.path.join(place, name), os.path.join(new, name))
            where[name] = new
        except FileNotFoundError:
            del where[name]
        except OSError as error:
            if error.errno != errno.EKEYREVOKED:
                raise
