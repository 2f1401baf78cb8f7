"""fio: mixes of reads and writes whose every block is verified."""
from check import Check

MIXES = {
    "randwrite": [
        "--ioengine=psync", "--rw=randwrite", "--bsrange=512-64k", "--bs_unaligned",
        "--end_fsync=1"],
    "randrw": ["--ioengine=psync", "--rw=randrw", "--bsrange=1k-32k", "--verify_backlog=64"],
    "mmap": ["--ioengine=mmap", "--rw=randwrite", "--bs=4k"],
    "libaio direct": [
        "--ioengine=libaio", "--direct=1", "--iodepth=16", "--rw=randrw", "--bs=4k",
        "--verify_backlog=64"],
    "fsync each": [
        "--ioengine=psync", "--rw=randwrite", "--bs=3000", "--bs_unaligned", "--fsync=8"],
}


def mix(options):
    def run(work):
        output = work.run(
            "fio", "--name=job", *options, f"--size={work.choose('16m', '256m')}", "--numjobs=4",
            "--verify=crc32c",
            "--do_verify=1", "--verify_fatal=1", "--verify_state_save=0", "--group_reporting",
            f"--directory={work.directory}",
            *work.choose([], ["--loops=3"]))
        work.demand("err= 0" in output, output[-400:])

    return run


CHECKS = [
    Check(f"fio --verify, {name}", mix(options), "fio --verify: " + ", ".join(MIXES)) for name,
    options in MIXES.items()]
