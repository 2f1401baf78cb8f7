"""PostgreSQL: load, and after a kill of it or of the daemon each committed transaction is there and
each page is sound."""
import contextlib
import random
import re
import threading
import time

from check import Check
from postgresql_cluster import Cluster

# Each transaction of pgbench changes three totals and adds a row to the history.
TOTALS = """
    select (select sum(abalance) from pgbench_accounts) = sum(delta)
       and (select sum(bbalance) from pgbench_branches) = sum(delta)
       and (select sum(tbalance) from pgbench_tellers) = sum(delta) from pgbench_history"""


def check(work, cluster):
    work.demand(cluster.ask(TOTALS) in ("t", ""), "pgbench's totals differ")
    cluster.client(
        "pg_amcheck", "--install-missing", "--heapallindexed", "--parent-check", "--jobs=2",
        "--all", timeout=3600)


@contextlib.contextmanager
def running(work):
    """A cluster with pgbench's tables, and one for the numbers that are committed one by one."""
    cluster = Cluster(work)
    cluster.start()
    try:
        cluster.client("pgbench", "-q", "-i", "-s", str(work.choose(2, 20)), "postgres")
        cluster.ask("create table numbers(number bigint primary key)")
        yield cluster
    finally:
        cluster.kill()


def load(work):
    with running(work) as cluster:
        output = cluster.client(
            "pgbench", "-n", "-c", "4", "-T", str(work.choose(15, 300)), "postgres")
        check(work, cluster)
        cluster.stop()
        work.place.remount()
        cluster.start()
        check(work, cluster)
    return re.search(r"tps = (\d+)", output)[1] + " transactions/s"


class Numbers(threading.Thread):
    """Commits one number after the other until the server is gone."""

    def __init__(self, cluster, first):
        super().__init__()
        self.client, self.committed = cluster.committer(), first - 1

    def run(self):
        with contextlib.suppress(BrokenPipeError), self.client as client:
            while True:
                client.stdin.write(
                    f"insert into numbers values({self.committed + 1}) returning number;\n")
                if client.stdout.readline().strip() != str(self.committed + 1):
                    return
                self.committed += 1


def killed(victim):
    def run(work):
        if victim == "daemon":
            work.need_daemon()
        rounds, last = work.choose(3, 25), 0
        with running(work) as cluster:
            for _ in range(rounds):
                numbers = Numbers(cluster, last + 1)
                numbers.start()
                bench = cluster.client_in_background(
                    "pgbench", "-n", "-c", "4", "-T", "600", "postgres")
                time.sleep(random.uniform(0.5, work.choose(2, 6)))
                if victim == "daemon":
                    work.place.kill()
                cluster.kill()
                if victim == "daemon":
                    work.place.come_back()
                numbers.join(60)
                # One that has not noticed would wait for ever.
                numbers.client.kill()
                work.end(bench, 60)
                cluster.start()
                last = int(cluster.ask("select coalesce(max(number), 0) from numbers"))
                work.demand(
                    numbers.committed <= last <= numbers.committed + 1,
                    f"{numbers.committed} committed, {last} there")
                work.demand(
                    cluster.ask("select count(*) from numbers") == str(last), "a number is missing")
                check(work, cluster)
        return f"{rounds} kills, {last} numbers"

    return run


CHECKS = [
    Check("PostgreSQL: initdb, pgbench, pg_amcheck", load),
    *(Check(f"PostgreSQL: {victim} killed", killed(victim)) for victim in ("server", "daemon"))]
