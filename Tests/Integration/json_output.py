"""What `mamctl … --json` prints, held against docs/schema: nothing missing, and nothing that is
not written there."""
import functools
import json
import pathlib

NEEDS = ("python3-jsonschema",)

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "schema"


def closed(schema):
    """The same schema, where a member that it does not name is a mistake. Readers have to expect
    those; tests do not."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {name: closed(part) for name, part in schema.items()}
    return {"additionalProperties": False, **parts} if "properties" in schema else parts


@functools.cache
def schema(name):
    """Nil if there is none."""
    path = SCHEMAS / f"{name}.json"
    return closed(json.loads(path.read_text())) if path.exists() else None


@functools.cache
def validator(name):
    # Half of what a program of the tests' own would take to start.
    import jsonschema

    store = {path.name: schema(path.stem) for path in SCHEMAS.glob("*.json")}
    found = schema(name)
    jsonschema.Draft202012Validator.check_schema(found)
    resolver = jsonschema.RefResolver(base_uri=f"{name}.json", referrer=found, store=store)
    return jsonschema.Draft202012Validator(found, resolver=resolver)


def name_of(words):
    """The schema of the verb that a command line names; the options may stand anywhere behind
    it."""
    for count in (2, 1):
        name = "-".join(words[:count])
        if len(words) >= count and schema(name):
            return name
    return None


def check(words, output):
    """Fails unless the output is what the verb's schema says, or an error. A verb that prints no
    JSON is not looked at."""
    name = name_of(words)
    found = schema(name) if name else {}
    if found.get("not") == {} or not output.strip():
        return
    values = [json.loads(line) for line in output.splitlines()] if is_lines(found, output) else [
        json.loads(output)]
    for value in values:
        if isinstance(value, dict) and set(value) == {"error"}:
            validator("error").validate(value)
        elif name is None:
            raise AssertionError(f"there is no docs/schema for mamctl {' '.join(words)}: {output}")
        else:
            validator(name).validate(value)


def is_lines(found, output):
    return found.get("x-lines", False) and not output.startswith("{\n")
