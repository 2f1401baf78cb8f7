"""dbench: what a file server's clients do."""
import re

from check import Check, Failure


def run(work):
    output = work.run("dbench", "-t", str(work.choose(5, 20)), "-D", work.directory, "4")
    found = re.search(r"Throughput ([\d.]+) MB/sec", output)
    if not found:
        raise Failure(output[-300:])
    return f"{float(found[1]):.0f} MB/s"


CHECKS = [Check("dbench, 4 clients", run)]
