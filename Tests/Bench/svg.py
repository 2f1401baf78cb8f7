"""A picture as SVG: lines of text, put together by hand. Nothing else is needed for bars and
lines."""
import html

FONT = "font-family='DejaVu Sans, Verdana, sans-serif'"
INK, FAINT, PAPER = "#222", "#ccc", "#fff"


class Picture:
    """On paper of its own, so that it can be read where a page is dark."""

    def __init__(self, width, height, title):
        self.parts = [
            f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' "
            f"width='{width}' height='{height}' {FONT}>",
            f"<title>{html.escape(title)}</title>",
            f"<rect width='{width}' height='{height}' fill='{PAPER}'/>"]
        self.text(16, 28, title, size=16, weight="bold")

    def text(self, x, y, words, size=12, anchor="start", colour=INK, weight="normal"):
        self.parts.append(
            f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' text-anchor='{anchor}' "
            f"fill='{colour}' "
            f"font-weight='{weight}'>{html.escape(words)}</text>")

    def bar(self, x, y, width, height, colour):
        self.parts.append(
            f"<rect x='{x:.1f}' y='{y:.1f}' width='{width:.1f}' height='{height:.1f}' "
            f"fill='{colour}'/>")

    def line(self, points, colour=FAINT, width=1.0):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(
            f"<polyline points='{path}' fill='none' stroke='{colour}' stroke-width='{width}'/>")

    def dot(self, x, y, colour):
        self.parts.append(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3' fill='{colour}'/>")

    def legend(self, x, y, names, colours):
        for name in names:
            self.bar(x, y - 9, 12, 10, colours[name])
            self.text(x + 17, y, name)
            x += 40 + 7.5 * len(name)

    def __str__(self):
        return "\n".join([*self.parts, "</svg>\n"])
