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

RECORDING = "resnet50_b16_fp32_h200.json.gz"


def main():
    if len(sys.argv) not in (3, 5):
        sys.exit(__doc__)
    width, height = (int(word) for word in sys.argv[3:] or ("960", "920"))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "report.html")
        subprocess.run([sys.argv[1], "choose", str(ROOT / "data" / "recordings" / RECORDING), "--html", str(file)],
                       check=True, stdout=subprocess.DEVNULL)
        with Page(find_chromium(), width, height) as page:
            page.open(file)
            page.ask("Emulation.setScrollbarsHidden", hidden=True)
            page.run("new Promise((done) => setTimeout(done, 300))")
            page.picture(Path(sys.argv[2]))


if __name__ == "__main__":
    main()
