#!/usr/bin/env python3
"""Takes the picture of docs/report.png: the first screen of a page of --html, in Chromium.

usage: report_picture.py HABITAT OUTPUT.png [WIDTH HEIGHT]
"""
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python" / "tests"))
from browser import Page, find_chromium  # noqa: E402

ASKED = ["data/recordings/llama_b4_bf16_h200.json.gz", "--steps", "100000"]  # as the README's first answer


def main():
    if len(sys.argv) not in (3, 5):
        sys.exit(__doc__)
    width, height = (int(word) for word in sys.argv[3:] or ("960", "920"))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "report.html")
        subprocess.run([Path(sys.argv[1]).resolve(), "choose", *ASKED, "--html", str(file)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        with Page(find_chromium(), width, height) as page:
            page.ask("Emulation.setScrollbarsHidden", hidden=True)
            page.open(file)
            page.run("new Promise((done) => setTimeout(done, 300))")
            page.picture(Path(sys.argv[2]))


if __name__ == "__main__":
    main()
