"""What was found, as Markdown: a table, and below it the reasons."""
import dataclasses
import json
import textwrap


@dataclasses.dataclass
class Outcome:
    """`passed` is None where the check has no meaning. `text`: a figure, or a reason."""

    passed: bool | None
    text: str
    seconds: float

    def __str__(self):
        word = {True: "pass", False: "FAIL", None: "–"}[self.passed]
        return f"{word}{': ' if self.text else ''}{self.text} ({self.seconds:.0f} s)"


NOT_RUN = Outcome(None, "not run", 0)


def load(file):
    """The outcomes of earlier runs, by check and place."""
    if file is None or not file.exists():
        return {}
    return {tuple(key): Outcome(*values) for key, values in json.loads(file.read_text())}


def save(outcomes, file):
    if file:
        file.write_text(
            json.dumps(
                [[key, dataclasses.astuple(outcome)] for key, outcome in outcomes.items()],
                indent=1))


def print_table(checks, places, outcomes):
    """Of the checks that were run somewhere, and the places where something was."""
    places = [place for place in places if any(place == where for _, where in outcomes)]
    rows = {}
    for check in checks:
        if not any((check.name, place) in outcomes for place in places):
            continue
        rows.setdefault(check.group or check.name, []).append(check)
    print(f"\n| | {' | '.join(places)} |\n|{' --- |' * (len(places) + 1)}")
    for name, members in rows.items():
        cells = (
            cell([outcomes.get((check.name, place), NOT_RUN) for check in members])
            for place in places)
        print(f"| {name} | {' | '.join(cells)} |")
    reasons = [
        f"- {place}, {check.name}: {textwrap.shorten(outcomes[check.name, place].text, 600)}"
        for check in checks for place in places
        if outcomes.get((check.name, place), NOT_RUN).passed is False]
    if reasons:
        print("\nWhat failed:\n", *reasons, sep="\n")


def cell(outcomes):
    meant = [outcome for outcome in outcomes if outcome.passed is not None]
    failed = sum(not outcome.passed for outcome in meant)
    if not meant:
        return "–"
    if len(outcomes) > 1:
        return f"{len(meant) - failed} of {len(meant)}"
    return "**fail**" if failed else "pass" + (f", {meant[0].text}" if meant[0].text else "")
