"""stress-ng: what calls do at their edges, each stressor for some seconds, with what it can
verify."""
from check import Check, Failure, NotHere

STRESSORS = """
    access aio aiol chattr chdir chmod chown copy-file dentry dir dirdeep dirmany fallocate
    fanotify fcntl fiemap file-ioctl filename flock fpunch fsize fstat getdent handle hdd
    inode-flags inotify io iomix lease link locka lockf lockofd mknod mmap mmapfork msync open
    readahead rename revio rmap seal seek sendfile splice symlink sync-file tee touch utime verity
    xattr""".split()

# Exit statuses of stress-ng: what the file system or the machine cannot do is no failure.
DONE, NO_RESOURCE, NOT_IMPLEMENTED = 0, 3, 4


def stressor(name):
    def run(work):
        process = work.start(
            "stress-ng", f"--{name}", "2", "--verify", "--timeout", str(work.choose(1, 3)),
            "--temp-path", work.directory)
        output, status = work.end(process, 120)
        said = [line.split("] ")[-1] for line in output.splitlines()]
        if status in (NO_RESOURCE, NOT_IMPLEMENTED) or any(
                "skipping stressor" in line for line in said):
            raise NotHere(" / ".join(line for line in said if "skip" in line or "support" in line))
        if status != DONE or "fail:" in output:
            raise Failure(
                f"status {status}: "
                + " / ".join(line for line in said if "fail" in line or "err" in line)[:400])

    return run


CHECKS = [
    Check(f"stress-ng --{name}", stressor(name), "stress-ng --verify, stressors")
    for name in STRESSORS]
