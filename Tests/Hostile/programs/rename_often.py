"""Has a directory full of files renamed, back and forth: rename_often.py DIRECTORY."""
import os
import sys

os.nice(19)
os.chdir(sys.argv[1])
mine = str(os.getpid())
open(mine, "w").close()
print("begun", flush=True)
while True:
    os.rename(mine, mine + "-other")
    os.rename(mine + "-other", mine)
