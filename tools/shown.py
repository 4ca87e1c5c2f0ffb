#!/usr/bin/env python3
"""Puts into the documentation what commands print, and the tables of tools/readme_tables.py.

Usage: shown.py [--check] HABITAT [FILE..]     FILE: default README.md and the pages that show output
--check: writes nothing; exit 1 where a page is not what would be written.

A block that begins with "```console shown" holds commands, "$ habitat ..", each with its output below. A table stands between
"<!-- begin: NAME -->" and "<!-- end: NAME -->". Commands run in the repository's root, 80 columns wide, without colour."""

import os
import pathlib
import re
import subprocess
import sys

from readme_tables import ROOT, TABLES

PAGES = ("README.md", "docs/tutorial.md", "docs/faq.md", "docs/limits.md", "docs/recording.md", "docs/guides/*.md")
TODAY = "1795305600"  # 2026-11-22, for the age of prices
BLOCK = re.compile(r"^```console shown\n(.*?)^```$", re.S | re.M)
TABLE = re.compile(r"(<!-- begin: (\w+) -->\n).*?(<!-- end: \2 -->)", re.S)


def output_of(command, habitat):
    environment = dict(os.environ, NO_COLOR="1", COLUMNS="80", SOURCE_DATE_EPOCH=TODAY, LC_ALL="C.UTF-8", HOME="/nonexistent",
                       XDG_CONFIG_HOME="/nonexistent", PATH=f"{habitat.parent}:{os.environ['PATH']}")  # fmt: skip
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode not in (0, 141):  # 141: `head` had enough
        sys.exit(f"shown: {command}: {done.stderr.strip()}")
    return done.stdout.strip("\n")


def block(match, habitat):
    commands = [line[2:] for line in match.group(1).splitlines() if line.startswith("$ ")]
    shown = "\n\n".join(f"$ {command}\n{output_of(command, habitat)}" for command in commands)
    return f"```console shown\n{shown}\n```"


def made(text, habitat):
    text = BLOCK.sub(lambda match: block(match, habitat), text)
    return TABLE.sub(lambda match: f"{match.group(1)}{TABLES[match.group(2)](habitat)}\n{match.group(3)}", text)


def main():
    arguments = [word for word in sys.argv[1:] if word != "--check"]
    if not arguments:
        sys.exit(__doc__)
    habitat = pathlib.Path(arguments[0]).resolve()
    names = arguments[1:] or PAGES
    pages, wrong = [page for name in names for page in sorted(ROOT.glob(name))], []
    for page in pages:
        have = page.read_text(encoding="utf-8")
        want = made(have, habitat)
        if have == want:
            continue
        wrong.append(page.relative_to(ROOT))
        if "--check" not in sys.argv:
            page.write_text(want, encoding="utf-8")
    if "--check" not in sys.argv:
        return
    for page in wrong:
        print(f"{page}: shows other output than its commands print; build the target docs-regenerate, and read what changed")
    if not pages:
        sys.exit("shown: no page found")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
