"""Programs that change many files: git, python3, sqlite3, rsync. Each gives what it said when it
was to write outside."""
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
IDENTITY = {f"GIT_{who}_{what}": "ann@contoso.com" for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")}


def git(place):
    plan = place.document("plan.txt")
    place.run("sh", HERE / "use_git.sh", plan, environment=IDENTITY)
    place.says(place.files / "repository" / "plan.txt", "third line")
    place.says(place.files / "all.zip", "third line")
    for command in (("git", "archive", "-o", place.outside / "all.tar", "HEAD"),
                    ("git", "bundle", "create", place.outside / "bundle", "HEAD"),
                    ("git", "clone", "-q", ".", place.outside / "clone")):
        said = place.said(place.run(
            *command[:1], "-C", place.files / "repository", *command[1:], status=128), "fatal: .*")
    return said


def python3(place):
    plan = place.document("plan.txt")
    place.run("/usr/bin/python3", HERE / "change_files.py", plan)
    place.says(plan, "third line")
    place.says(place.files / "tree" / "x")
    interpreter = place.start_program("/usr/bin/python3", "-q")
    try:
        interpreter.expect(">>> ")
        interpreter.type(f"open({str(place.outside / 'copy')!r}, 'w').write('{place.phrase}')\r")
        said = interpreter.expect(r"\w+Error: [^\r\n]*").strip()
        interpreter.expect(">>> ")
        interpreter.type("\x04")
        interpreter.end(20)
    finally:
        interpreter.close()
    return said


def sqlite3(place):
    base, plan = place.files / "base.db", place.document("plan.txt")
    place.run("sqlite3", base, "pragma journal_mode = wal; create table t (a text);")
    place.run(
        "sqlite3", base, f"insert into t values (trim(cast(readfile('{plan}') as text)));"
        # A sort that does not fit into memory, in a temporary file.
        "pragma cache_size = 10; pragma temp_store = file; create temp table big as "
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < 50000) "
        "select i, a, random() as r from n, t; create index temp.x on big (a, r);"
        f"vacuum into '{place.files}/copy.db';")
    place.says(base)
    place.says(place.files / "copy.db")
    said = place.said(
        place.run("sqlite3", base, f".backup {place.outside}/copy.db", status=1), "Error: .*")
    place.run("sqlite3", base, f"vacuum into '{place.outside}/copy.db'", status=None)
    place.run("sqlite3", base, f".output {place.outside}/text", ".dump", status=None)
    shell = place.start_program("sqlite3", base)
    try:
        shell.expect("sqlite> ")
        shell.type(f"select '{place.phrase}';\r")
        shell.expect("sqlite> ")
        shell.type(".quit\r")
        shell.end(20)
    finally:
        shell.close()
    return said


def rsync(place):
    for name in ("a/plan.txt", "a/b/plan.txt"):
        (place.files / name).parent.mkdir(parents=True, exist_ok=True)
        place.document(name)
    place.run("rsync", "-a", "a/", "copy")
    place.run("sh", "-c", "echo 'third line' >> a/b/plan.txt")
    place.run("rsync", "-a", "--delete", "--inplace", "--checksum", "a/", "copy")
    place.says(place.files / "copy" / "b" / "plan.txt", "third line")
    return place.said(
        place.run("rsync", "-a", "a/", f"{place.outside}/copy", status=None), "rsync: .*failed: .*")
