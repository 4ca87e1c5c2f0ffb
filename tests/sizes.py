#!/usr/bin/env python3
"""Fails on a file of more than 600 lines and on a function of more than 65, with name and length.

Tables are exempt: a file whose lines are rows is as long as what it lists. They are named here.

usage: sizes.py ROOT [FILE_LINES FUNCTION_LINES]
"""
import os
import re
import sys

FOLDERS = ("src", "lab", "cli", "include", "recorder", "bench", "examples", "tools", "fuzz")
TABLES = {"src/work/table.c"}
NO_FUNCTION = re.compile(r"(typedef|struct|enum|union|extern)\b[^(]*$|[#/ *}]|$")


def files_of(root):
    for folder in FOLDERS:
        for where, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".cu")):
                    yield os.path.relpath(os.path.join(where, name), root)


def functions(lines):
    """(name, first line, last line) of every function, in the layout that clang-format gives: it begins in
    column 0, its last line is a brace in column 0."""
    start = None
    for number, line in enumerate(lines, 1):
        if start is None and not NO_FUNCTION.match(line):
            start = number
        if start is None:
            continue
        if line.startswith("}"):
            text = " ".join(lines[start - 1:number])
            head = text.split("{", 1)[0]
            match = re.search(r"(\w+)\s*\(", head)
            if match and "=" not in head:
                yield match.group(1), start, number
            start = None
        elif line.rstrip().endswith(";") and not line.startswith(" ") or line.strip() == "":
            if "{" not in " ".join(lines[start - 1:number]):
                start = None  # a declaration


def main():
    if len(sys.argv) not in (2, 4):
        sys.exit(__doc__)
    root = sys.argv[1]
    most_file, most_function = (int(a) for a in sys.argv[2:]) if len(sys.argv) == 4 else (600, 65)
    problems, files, count, longest = [], 0, 0, 0
    for name in files_of(root):
        with open(os.path.join(root, name), encoding="utf-8") as text:
            lines = text.read().splitlines()
        files += 1
        if len(lines) > most_file and name not in TABLES:
            problems.append(f"{name}: {len(lines)} lines; split it by subject ({most_file} at most)")
        for function, first, last in functions(lines):
            count += 1
            longest = max(longest, last - first + 1)
            if last - first + 1 > most_function:
                problems.append(f"{name}:{first}: {function}() has {last - first + 1} lines "
                                f"({most_function} at most)")
    if not count:
        problems.append(f"no functions found below {root}")
    for problem in problems:
        print(problem)
    if not problems:
        print(f"ok - {files} files, {count} functions, the longest of {longest} lines")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
