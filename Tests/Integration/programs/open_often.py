"""Tries to open a file, however often it is refused: open_often.py FILE TIMES."""
import sys

for _ in range(int(sys.argv[2])):
    try:
        open(sys.argv[1]).close()
    except OSError:
        pass
