"""A mamd that was built with a sanitizer, in the place of the release build's."""
import pathlib

# Reports go to files: the daemon lets go of its standard error.
OPTIONS = {"TSAN_OPTIONS": "", "ASAN_OPTIONS": "detect_leaks=1", "LSAN_OPTIONS": ""}


class Sanitized:
    """The environment of such a build, and what it found."""

    def __init__(self, directory, root):
        self.directory, self.root = pathlib.Path(directory).resolve(), pathlib.Path(root)

    def environment(self, before):
        path = str(self.root / "sanitizer")
        options = {name: f"{value}:log_path={path}".lstrip(":") for name, value in OPTIONS.items()}
        preload = self.directory / "tsan_preload.so"
        if preload.exists():
            options["LD_PRELOAD"] = str(preload)
        return {**before, **options, "PATH": f"{self.directory}:{before['PATH']}"}

    def reports(self):
        """The text of each file of reports, cut."""
        return [file.read_text(errors="replace")[:20_000] for file in self.root.glob("sanitizer.*")]
