"""Programs for documents that need no display: LibreOffice, Chromium, Firefox, GIMP. Each gives
what it said when it was to save outside."""
from check import Failure

PAGE = "<!doctype html><title>{0}</title><h1>{0}</h1><input id=a><script>" \
       "localStorage.setItem('a', '{0}'); document.cookie = 'a={0}'</script>"


def libreoffice(place):
    plan = place.document("plan.txt")
    for kind in ("odt", "docx", "pdf"):
        place.run("soffice", "--headless", "--convert-to", kind, plan)
    for kind in ("odt", "docx"):
        place.says(plan.with_suffix(f".{kind}"), "second line")
    pdf = place.read(plan.with_suffix(".pdf"))
    place.demand(pdf.startswith(b"%PDF"), "no PDF")
    return place.said(
        place.run(
            "soffice", "--headless", "--convert-to", "docx", "--outdir", place.outside,
            plan.with_suffix(".odt"), status=None),
        r"failed: 0x\w+\([^)]*\)")


def browse(place, words, picture, outside):
    """Takes a picture of a page, and one to put outside: what it said about that."""
    page = place.document("plan.html", PAGE.format(place.phrase))
    place.run(*words, picture(place.files / "page.png"), f"file://{page}")
    place.demand(
        place.read(place.files / "page.png").startswith(b"\x89PNG"), "no picture of the page")
    terminal = place.run(*words, picture(place.outside / "page.png"), f"file://{page}", status=None)
    return place.said(terminal, outside) if outside else "nothing, and there is no file"


def chromium(place):
    # Its socket's path must fit into 107 bytes, here and wherever the account's name is long.
    directory = place.files / "tmp"
    directory.mkdir()
    words = ["env", f"TMPDIR={directory}", "chromium", "--headless", "--no-sandbox",
             "--disable-gpu", "--no-first-run"]
    page = place.document("dom.html", PAGE.format(place.phrase))
    shown = place.run(*words, "--dump-dom", f"file://{page}")
    place.demand(place.phrase in shown.text, f"the page is not shown: {shown.text[-300:]!r}")
    place.run(*words, f"--print-to-pdf={place.files}/page.pdf", f"file://{page}")
    place.demand(place.read(place.files / "page.pdf").startswith(b"%PDF"), "no PDF")
    return browse(place, words, lambda path: f"--screenshot={path}", "Failed to write file[^\r\n]*")


def firefox(place):
    words = ["firefox-esr", "--headless", "--screenshot"]
    return browse(place, words, str, None)


SCRIPT = """
(define (save image file)
  (gimp-xcf-save 0 image (car (gimp-image-get-active-drawable image)) file file))
(define (export image file)
  (file-png-save 1 image (car (gimp-image-get-active-drawable image)) file file 0 9 0 0 0 0 0))
(let* ((image (car (gimp-image-new 400 80 RGB))))
  (gimp-text-fontname image -1 5 5 "{phrase}" 3 TRUE 18 PIXELS "Sans")
  (save image "{files}/plan.xcf"))
(let* ((image (car (gimp-file-load 1 "{files}/plan.xcf" "plan.xcf"))))
  (gimp-text-fontname image -1 5 40 "second line" 3 TRUE 18 PIXELS "Sans")
  (save image "{files}/plan.xcf")
  (save image "{files}/copy.xcf")
  (export (car (gimp-image-duplicate image)) "{files}/copy.png"))
"""
OUTSIDE = """
(let* ((image (car (gimp-file-load 1 "{files}/plan.xcf" "plan.xcf"))))
  (gimp-xcf-save 0 image (car (gimp-image-get-active-drawable image)) "{outside}/copy.xcf" "copy"))
"""


def gimp(place):
    def run(script):
        facts = {"phrase": place.phrase, "files": place.files, "outside": place.outside}
        for name, value in facts.items():
            script = script.replace("{" + name + "}", str(value))
        return place.run(
            "gimp", "-i", "--batch-interpreter", "plug-in-script-fu-eval",
            "-b", script, "-b", "(gimp-quit 1)", status=None)

    done = run(SCRIPT)
    if "execution error" in done.text:
        raise Failure(done.text[-400:])
    place.says(place.files / "copy.xcf", "second line")
    place.demand(place.read(place.files / "copy.png").startswith(b"\x89PNG"), "no picture")
    return place.said(run(OUTSIDE), "Error opening file[^\r\n]*")
