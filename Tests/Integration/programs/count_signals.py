"""Prints how often it got SIGUSR1, now and each time."""
import itertools
import signal

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
for count in itertools.count():
    print(count, flush=True)
    signal.sigwait({signal.SIGUSR1})
