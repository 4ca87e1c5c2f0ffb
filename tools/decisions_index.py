#!/usr/bin/env python3
"""Keeps docs/decisions/README.md, the decisions by subject: writes title and mark of each beside its number.

Which subject a decision stands under is decided in that page, by hand; the title is the first line of the file, the mark comes
from a line "Replaced by 230 .." or "Replaced in part by 240 and 396: what" of it.

usage: decisions_index.py [--check] [ROOT]      (--check: writes nothing, fails where the page is not as it would be written)
"""
import pathlib
import re
import sys

ENTRY = re.compile(r"\* \[?(\d{4})\b.*")
MARK = re.compile(r"^Replaced( in part)? by ((?:decisions? )?\d{3,4}(?:(?:, | and )\d{3,4})*)", re.M)


def numbered(numbers, files):
    """Links to decisions, "[0240](0240-name.md), [0396](..)"."""
    return ", ".join(f"[{number}]({files[number].name})" for number in numbers)


def entry(number, files):
    text = files[number].read_text(encoding="utf-8")
    title = re.fullmatch(r"# 0*(\d+)[.:] (.+)", text.split("\n", 1)[0])
    if not title or int(title.group(1)) != int(number):
        raise SystemExit(f"{files[number]}: the first line is not '# {int(number)}. Title'")
    marks = []
    for part, by in MARK.findall(text):
        later = [found.zfill(4) for found in re.findall(r"\d{3,4}", by)]
        unknown = [one for one in later if one not in files]
        if unknown:
            raise SystemExit(f"{files[number]}: replaced by {unknown[0]}, which is not there")
        marks.append(f" (*replaced{part} by* {numbered(later, files)})")
    return f"* {numbered([number], files)} {title.group(2)}{''.join(marks)}"


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    roots = [argument for argument in arguments if argument != "--check"]
    if len(roots) > 1 or any(root.startswith("-") for root in roots):
        sys.exit(__doc__)
    folder = pathlib.Path(roots[0] if roots else ".") / "docs/decisions"
    files = {file.name[:4]: file for file in sorted(folder.glob("[0-9]*.md"))}
    page = folder / "README.md"
    old = page.read_text(encoding="utf-8")
    listed = [found.group(1) for found in map(ENTRY.fullmatch, old.splitlines()) if found]
    problems = [f"{number}: under no subject of {page}" for number in files if number not in listed]
    problems += [f"{number}: {listed.count(number)} times in {page}" for number in sorted(set(listed)) if listed.count(number) > 1]
    problems += [f"{number}: in {page}, but not in {folder}" for number in listed if number not in files]
    if problems:
        sys.exit("\n".join(problems))
    new = "\n".join(entry(found.group(1), files) if (found := ENTRY.fullmatch(line)) else line for line in old.split("\n"))
    if check and new != old:
        sys.exit(f"{page} is not as written anew: python3 tools/decisions_index.py")
    if not check:
        page.write_text(new, encoding="utf-8")
    print(f"ok - {len(files)} decisions by subject")


if __name__ == "__main__":
    main()
