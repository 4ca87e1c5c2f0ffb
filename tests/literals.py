#!/usr/bin/env python3
"""Fails on a number in a source of src/ that belongs in one of src/base/constants_*.h: a literal with a point or an exponent,
or a whole number as the value of a `const double`. Names file, line and number.

Free are 0, 1, 2 and .5; powers of ten from 1000 on and their inverses, 100 (per cent), powers of two from 1024 on, and the
units of UNITS; the numbers of mathematics in EXACT; and initializers of constants in the files that src/base/constant.h lists
as tables. A file that is listed there and has no such table is an error, too.

usage: literals.py [ROOT]
"""
import math
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from mutations import tokens  # noqa: E402

LITERAL = re.compile(r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?[fFlL]?(?![\w.])")
NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[fFlL]?")
UNITS = {3.6e6: "ms an hour, J a kWh", 30.4375: "days a month"}
EXACT = {1.2816: "normal distribution, 80 % within"}
# Bytes of number formats, a bound of a search, 2^20 bytes: whole numbers that a `const double` may have.
WHOLE = re.compile(r"(?:mask|index)_bytes|most|mib|steps")


def is_free(text):
    value = float(text.rstrip("fFlL"))
    if value in (0, 1, 2, 0.5, 100) or value in UNITS or value in EXACT:
        return True
    tens, twos = math.log10(value), math.log2(value)
    return (abs(tens - round(tens)) < 1e-12 and abs(round(tens)) >= 3) or (twos == round(twos) and twos >= 10)


def listed(root):
    """Files whose constant initializers are tables: FOLDER/FILE.c in the first comment of constant.h."""
    return set(re.findall(r"\b[a-z]+/\w+\.[ch]\b", (root / "src/base/constant.h").read_text().split("*/")[0]))


def numbers(text):
    """(line, number as written, whether it is in an initializer of a constant) of each that is not free."""
    code, outer, words = tokens(text), [], []  # of the braces around, and of the statement so far
    for at, (kind, word, start, _) in enumerate(code):
        in_table = any(is_table for is_table, _ in outer)
        if word == "{":
            is_table = words[-1:] == ["="] and "const" in words
            is_type = bool({"struct", "union"} & set(words[-2:]))
            outer.append((is_table, words + ["{}"] if is_table or is_type or in_table else []))
            words = []
        elif word == "}":
            words = outer.pop()[1] if outer else []
        elif word == ";":
            words = []
        elif kind == "number" and not word.lower().startswith("0x"):
            alone = words[-1:] == ["="] and {"const", "double"} <= set(words) and code[at + 1][1] in ",;"
            counts = re.search(r"[.eE]", word) or (alone and not WHOLE.fullmatch(words[-2]))
            if counts and NUMBER.fullmatch(word) and not is_free(word):
                yield text.count("\n", 0, start) + 1, word, in_table
            words.append(word)
        else:
            words.append(word)
    for line, words in enumerate(text.splitlines(), 1):
        if re.match(r"\s*#\s*define\b", words):
            for number in LITERAL.findall(re.sub(r'/\*.*|"[^"]*"', "", words)):
                if not is_free(number):
                    yield line, number, False


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    tables, used, failed = listed(root), set(), False
    for path in sorted((root / "src").rglob("*.[ch]")):
        if path.match("base/constants_*.h"):
            continue
        name = str(path.relative_to(root / "src"))
        for line, number, in_table in numbers(path.read_text()):
            if in_table and name in tables:
                used.add(name)
                continue
            failed = True
            print(f"src/{name}:{line}: {number}: a number of a prediction belongs in one of src/base/constants_*.h, "
                  "with unit and source; a table in the list of src/base/constant.h")
    for name in sorted(tables - used):
        failed = True
        print(f"src/base/constant.h: {name} has no table of such numbers")
    return failed


if __name__ == "__main__":
    sys.exit(main())
