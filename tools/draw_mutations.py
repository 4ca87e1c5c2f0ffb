#!/usr/bin/env python3
"""Draw mutations of the C sources with a seed, as lines for tests/mutations.tbl.

usage: draw_mutations.py [--seed N] [--count N] [--keep]

A third each: a comparison negated, a constant changed, a statement deleted. Every function (and
every table) of src/, lab/, cli/ and recorder/ that has such a place is equally likely, then every place in
it: long tables do not crowd out the rest. Left out where it is cheap to know that nobody could tell:
headers of `for` (a wrong one never ends), room in arrays and arenas, releases of memory, messages.

--keep prints the whole table with its drawn part replaced: lines whose text is still there stay as
they are with their reasons, and as many as are missing are drawn anew.
"""

import argparse
import random
import re
import sys

from mutations import TABLE, Mutation, Sources, read_table, tokens

SEED, COUNT = 20261121, 120
NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
ROOM = re.compile(r"MAX|BYTES|LENGTH|SIZE|CAPACITY|SLOTS|NAMES|COLUMNS|ROOM|DEPTH|FLAGS|BUFFER")
RELEASES = re.compile(r"(free|fclose|close|closedir|dlclose|pclose|.*_free|.*_finalize|.*_close|free_.*)$")
NOT_STATEMENTS = {"return", "if", "else", "for", "while", "do", "switch", "case", "default", "goto",
                  "typedef", "static", "struct", "enum", "union", "extern", "const", "unsigned",
                  "sizeof", "break", "continue", "_Static_assert", "static_assert", "assert", "va_start",
                  "va_end", "va_copy"}
LEAST = 2  # tokens taken along at least on each side: a place stays unique when code is added
MARGIN = 60  # tokens taken along at most on each side to make a place unique


def blocks(code):
    """Index ranges of the functions and tables of a file: what stands in outermost braces."""
    depth, first = 0, 0
    for i, (_, text, _, _) in enumerate(code):
        if text == "{":
            if depth == 0:
                first = i
            depth += 1
        elif text == "}":
            depth -= 1
            if depth == 0:
                yield first, i


def is_type_block(code, first):
    """Braces of a type: struct, union (an enum's constants are left in)."""
    back = [t[1] for t in code[max(0, first - 3) : first]]
    return "struct" in back or "union" in back


def for_headers(code, first, last):
    """Token indexes inside the round brackets of `for`."""
    inside = set()
    i = first
    while i < last:
        if code[i][1] == "for":
            depth = 0
            while i < last:
                inside.add(i)
                depth += (code[i][1] == "(") - (code[i][1] == ")")
                i += 1
                if depth == 0 and code[i - 1][1] == ")":
                    break
        else:
            i += 1
    return inside


def message_call(code, i, first):
    """Whether token i stands in the arguments of a call that only words a message."""
    depth = 0
    for k in range(i, max(first, i - 80), -1):
        text = code[k][1]
        if text == ")":
            depth += 1
        elif text == "(":
            if depth == 0 and re.match(r"(habitat_fail|habitat_fail_at|say|warn|f?printf|message.*)$", code[k - 1][1]):
                return True
            depth -= depth > 0
        elif text in ";{}":
            return False
    return False


def comparisons(code, first, last):
    skip = for_headers(code, first, last)
    for i in range(first, last):
        if code[i][0] == "sign" and code[i][1] in NEGATED and i not in skip:
            yield i, i, NEGATED[code[i][1]]


def changed(number):
    """Another constant of the same type; None where there is none to choose."""
    match = re.fullmatch(r"(\d+)([uUlL]*)", number)
    if match:
        value = int(match[1])
        return None if number.startswith("0") and value else f"{value + 1}{match[2]}"
    match = re.fullmatch(r"((?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)([fF]?)", number)
    if not match:
        return None
    value = float(match[1])
    return f"{1.25 * value:.6g}{match[2]}" if value else f"1.0{match[2]}"


def constants(code, first, last):
    skip = for_headers(code, first, last)
    for i in range(first, last):
        kind, text, _, _ = code[i]
        if kind != "number" or i in skip or message_call(code, i, first):
            continue
        before, after = code[i - 1][1], code[i + 1][1]
        if before == "[" and after == "]" and code[i + 2][1] in ";,=)[":
            if code[i - 3][0] == "word" or code[i - 3][1] in "*,":
                continue  # the size of an array
        if (before == "!=" and code[i - 2][1] == ")") or (before == "-" and code[i - 2][1] == "?"):
            continue  # "strcmp(..) != 0", "? -1 : 1": any other number but 0 does as well
        names = " ".join(t[1] for t in code[max(first, i - 3) : i])
        if ROOM.search(names):
            continue
        other = changed(text)
        if other:
            yield i, i, other


def statements(code, first, last):
    """Assignments and calls that are statements of their own."""
    i = first + 1
    start, depth = i, 0
    while i < last:
        text = code[i][1]
        depth += (text in "([") - (text in ")]") if len(text) == 1 else 0
        if text in "{}" or (text == ":" and depth == 0 and code[start][1] in ("case", "default")):
            start = i + 1
        elif text == ")" and depth == 0 and code[start][1] in ("if", "while", "for", "switch"):
            start = i + 1
        elif text == "else":
            start = i + 1
        elif text == ";" and depth == 0:
            if is_statement(code, start, i):
                yield start, i, "{}"
            start = i + 1
        i += 1


def is_statement(code, start, end):
    words = [t[1] for t in code[start:end]]
    if len(words) < 2 or words[0] in NOT_STATEMENTS:
        return False
    if "{" in words or code[start][0] not in ("word", "sign"):
        return False
    if code[start][0] == "word" and words[1] == "(":
        return not RELEASES.match(words[0]) and words[0] != "memset"
    signs = {"=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "<<=", ">>=", "++", "--"}
    at = next((k for k, w in enumerate(words) if w in signs), None)
    if at is None:
        return False
    target = words[: at or None]
    # "type name =" declares; "name =", "a.b =", "*p =", "a[i] =" assign
    plain = [t for t in code[start : start + at] if t[0] == "word"] if at else []
    if at and code[start][0] == "word" and code[start + 1][0] == "word":
        return False
    if at and len(plain) >= 2 and re.fullmatch(r"\w+ \*+ ?\w+", " ".join(target)):
        return False
    return True


def candidates(code):
    """For each kind: lists of places, one list a function or table."""
    found = {"comparison": [], "constant": [], "statement": []}
    for first, last in blocks(code):
        if is_type_block(code, first):
            continue
        for kind, search in (("comparison", comparisons), ("constant", constants), ("statement", statements)):
            here = list(search(code, first, last))
            if here:
                found[kind].append(here)
    outside = list(file_constants(code))
    if outside:
        found["constant"].append(outside)
    return found


def file_constants(code):
    """Values of constants outside of functions: "static const double x = 1.5;"."""
    depth = 0
    for i, (kind, text, _, _) in enumerate(code):
        depth += (text == "{") - (text == "}")
        if depth == 0 and kind == "number" and code[i - 1][1] == "=" and changed(text):
            yield i, i, changed(text)


def widen(words, first, last):
    """The shortest stretch of tokens around first..last that occurs once; None if it is too long."""
    low, high = first, last
    length = last - first + 1
    alike = [k for k in range(len(words) - length + 1) if words[k : k + length] == words[first : last + 1]]
    while len(alike) > 1 or first - low < LEAST:
        if len(alike) == 1 and (low == 0 or high + 1 == len(words)):
            break
        if first - low > MARGIN or low == 0 or high + 1 == len(words):
            return None
        low -= 1
        left = first - low
        alike = [k for k in alike if k >= left and words[k - left] == words[low]]
        if len(alike) > 1 or high - last < LEAST:
            high += 1
            right = high - first
            alike = [k for k in alike if k + right < len(words) and words[k + right] == words[high]]
    return low, high


def make(name, file, text, code, place):
    """The mutation with as much around it as makes its text unique; None if that is too much."""
    first, last, after = place
    wide = widen([t[1] for t in code], first, last)
    if not wide:
        return None
    low, high = wide

    def span(a, b):
        # one line; blanks inside of strings stay, no string of C goes on in the next line
        return re.sub(r"\s*\n\s*", " ", clean(text[code[a][2] : code[b][3]])) if a <= b else ""

    before = span(low, high)
    head = span(low, first - 1)
    tail = span(last + 1, high)
    return Mutation(name, file, before, " ".join(part for part in (head, after, tail) if part))


def clean(text):
    """Without comments and directives; strings stay as they are."""
    return " ".join(t[1] for t in tokens(text)) if "/*" in text or "#" in text else text


def draw(seed, count, taken):
    """`count` mutations whose places are not in `taken`: pairs (file, before)."""
    tree = Sources()
    pools = {"comparison": [], "constant": [], "statement": []}
    for file in sorted(tree.code):
        for kind, groups in candidates(tree.code[file]).items():
            pools[kind] += [(file, group) for group in groups]
    luck, drawn = random.Random(seed), []
    used = set(taken)
    kinds = sorted(pools)
    while len(drawn) < count:
        kind = kinds[len(drawn) % len(kinds)]
        file, group = luck.choice(pools[kind])
        place = luck.choice(group)
        made = make("", file, tree.text[file], tree.code[file], place)
        if not made or (file, made.before) in used or "@@" in made.before:
            continue
        used.add((file, made.before))
        drawn.append(made)
    return drawn


def keep(seed, count):
    """The drawn lines of the table that still hold, filled up to `count`."""
    tree = Sources()
    old = [m for m in read_table() if not m.named]
    held = [m for m in old if not isinstance(tree.find(m), str)][:count]
    new = draw(seed, count - len(held), {(m.file, m.before) for m in held})
    numbers = {m.name for m in held}
    free = (f"drawn-{n:03}" for n in range(1, 10000) if f"drawn-{n:03}" not in numbers)
    for mutation in new:
        mutation.name = next(free)
    return sorted(held + new, key=lambda m: m.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--keep", action="store_true")
    asked = parser.parse_args()
    if not asked.keep:
        for number, mutation in enumerate(draw(asked.seed, asked.count, set()), 1):
            mutation.name = f"drawn-{number:03}"
            print(mutation.line())
        return
    lines = TABLE.read_text().splitlines()
    head = [line for line in lines if not line.startswith("drawn-")]
    sys.stdout.write("\n".join(head + [m.line() for m in keep(asked.seed, asked.count)]) + "\n")


if __name__ == "__main__":
    main()
