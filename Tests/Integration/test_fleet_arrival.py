"""A message that arrives while its subscription ends: libnats 3.4 uses then what it has freed."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

from fleet_office import Office
from nats_engine import Engine
from running import PREFIX

# libnats looks up a message's subscription, calls this, and locks the subscription. Its thread that
# reads is held here so long that the main one can destroy the subscription.
SLOW = rb"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

int natsMsg_create(void **message, const char *subject, int subject_length, const char *reply,
                   int reply_length, const char *data, int data_length, int header_length) {
    __typeof__(&natsMsg_create) create = dlsym(RTLD_NEXT, "natsMsg_create");
    int status = create(message, subject, subject_length, reply, reply_length, data, data_length,
                        header_length);
    if (gettid() != getpid()) usleep(20000);
    return status;
}
"""


class Arrival(unittest.TestCase):
    def setUp(self):
        place = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.addCleanup(shutil.rmtree, place)
        engine = Engine(place / "server").start()
        self.addCleanup(engine.kill)
        self.office = Office(place / "office", engine)
        self.office.time()
        library = place / "slow.so"
        subprocess.run(
            ["gcc", "-x", "c", "-shared", "-fPIC", "-o", library, "-"], input=SLOW, check=True)
        # What was freed has other bytes.
        self.slow = mock.patch.dict(os.environ, LD_PRELOAD=str(library), MALLOC_PERTURB_="165")

    def test_the_servers_word_that_there_is_no_more(self):
        # It comes after the last message, with which a reader is done.
        first = self.office.push()
        with self.slow:
            second = self.office.push()
        self.assertEqual((second["published"], second["unchanged"]), ([], len(first["published"])))


if __name__ == "__main__":
    unittest.main()
