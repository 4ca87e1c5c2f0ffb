#!/usr/bin/env python3
"""Fails where the comment of a public function leaves something out: each parameter (with its shape or unit, and who
owns it), what is returned and with which errors, and whether threads may call it at once.

usage: header_comments.py ROOT
"""
import glob
import os
import re
import sys

COMMENTED = re.compile(r"(?:/\*\*((?:[^*]|\*(?!/))*)\*/\n)?(?:#if[^\n]*\n[^\n]*\n#endif\n)?HABITAT_API\b([^;]*);")


def parameters(declaration):
    inside = declaration[declaration.index("(") + 1 : declaration.rindex(")")]
    names = [re.findall(r"\w+", re.sub(r"\[\w*\]", "", part))[-1] for part in inside.split(",") if re.search(r"\w", part)]
    return [name for name in names if name != "void"]


def lacking(comment, declaration):
    declaration = " ".join(declaration.split())
    said = {name for names in re.findall(r"@param\s+((?:\w+\s*,\s*)*\w+)", comment) for name in re.split(r"\s*,\s*", names)}
    for name in parameters(declaration):
        if name not in said:
            yield f"@param {name}"
    result = declaration[: declaration.index("(")].rsplit(None, 1)[0]
    if result != "void" and "@return" not in comment:
        yield "@return"
    if result == "habitat_status" and not re.search(r"@return[^@]*(HABITAT_|\bas )", comment):
        yield "the errors, by name, in @return"
    if re.search(r"@return\s+borrowed(?![^@]*(lives as long|until))", comment):
        yield "how long what is borrowed lives"
    if not re.search(r"@note[^@]*(thread|Pure)", comment):
        yield "threads, in @note"


def main(root):
    problems, count = [], 0
    for path in sorted(glob.glob(os.path.join(root, "include", "habitat", "*.h"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for comment, declaration in COMMENTED.findall(re.sub(r"(?m)^#define HABITAT_API.*$", "", text)):
            name = re.search(r"(\w+)\s*\(", declaration).group(1)
            count += 1
            problems += [f"{os.path.basename(path)}: {name}: the comment lacks {what}" for what in lacking(comment, declaration)]
    for problem in problems:
        print(problem)
    if not count:
        print(f"no functions in {root}/include/habitat")
    elif not problems:
        print(f"ok - {count} public functions say parameters, results, errors, ownership and threads")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
