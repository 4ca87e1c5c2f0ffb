#!/usr/bin/env python3
"""A public header as Doxygen reads it (docs/doxygen/Doxyfile, INPUT_FILTER), on standard output.

A header's comments are plain ones, for people who open the file; this makes Doxygen's of them:
* the first comment is of the file (habitat.h's: the first page); its "Units: ..", "Errors: .." become paragraphs;
* a comment on its own line is of what follows it, a comment behind code of what stands before it;
* a parameter that means the same everywhere (ALWAYS) is described here once;
* what stands in the experimental half is marked.
No line is added or taken, so that warnings name the header's own lines.
usage: doxygen_filter.py HEADER
"""

import os
import re
import sys

BORROWED = "borrowed for the call"
ALWAYS = {  # what a name means wherever a comment does not say it
    "err": "where and why on failure; may be NULL",
    "out": "receives the result; untouched on failure",
    "count": "receives the number",
    "trace": BORROWED,
    "workload": BORROWED,
    "table": BORROWED,
    "gpu": BORROWED,
    "models": BORROWED,
    "prices": BORROWED,
    "replay": BORROWED,
    "memory": BORROWED,
    "reader": BORROWED,
    "predictor": BORROWED,
    "prediction": BORROWED,
    "request": BORROWED,
    "answer": BORROWED,
    "w": BORROWED,
    "what": BORROWED,
    "choice": BORROWED,
    "options": BORROWED,
    "name": "NUL-terminated",
}
TAGS = re.compile(r"@(param|return|note|source|tested|since)\b")
TOPICS = re.compile(r"^ \* (Half|Units|Ownership|Errors|Threads): ")


def parameters(declaration):
    """A function's name and those of its parameters."""
    found = re.search(r"(habitat_\w+)\((.*)\)", declaration, re.DOTALL)
    if not found or declaration.lstrip().startswith(("typedef", "#define")):
        return "", []
    names = [re.findall(r"\w+", part)[-1] for part in found[2].split(",") if re.search(r"\w", part)]
    return found[1], [name for name in names if name != "void"]


def completed(comment, declaration):
    """The text that a comment lacks: the parameters whose meaning is always the same."""
    function, names = parameters(declaration)
    described = re.findall(r"@param\s+((?:\w+\s*,\s*)*\w+)", comment)
    said = {name for names in described for name in re.split(r"\s*,\s*", names)}
    meant = ALWAYS
    if function.endswith(("_free", "_close")):
        meant = {name: "may be NULL" for name in names}
    elif function.endswith(("_name", "_words")) and len(names) == 1:
        meant = {name: "any value" for name in names}
    return "".join(f"@param {name} {meant[name]} " for name in names if name not in said and name in meant)


def following(lines, i):
    """The declaration that begins at line i."""
    text = ""
    while i < len(lines):
        text += lines[i] + "\n"
        if re.search(r"[;{]", lines[i]):
            break
        i += 1
    return text


class Halves:
    """Whether a line stands in the experimental half."""

    def __init__(self, text):
        self.whole = "Half: experimental." in text
        self.depth = self.half = 0

    def see(self, line):
        if line.startswith("#if"):
            self.depth += 1
            if line.startswith("#ifdef HABITAT_EXPERIMENTAL"):
                self.half = self.depth
        elif line.startswith("#endif"):
            if self.half == self.depth:
                self.half = 0
            self.depth -= 1

    def experimental(self):
        return self.whole or self.half > 0


def own_line(lines, start, end, halves):
    """The lines of a comment that stands on lines of its own, as Doxygen reads it."""
    comment = [re.sub(r"^( *)/\*\*? ", r"\1/** ", lines[start])] + lines[start + 1 : end + 1]
    if start == 0:
        page = "@first_page" if halves.first_page else "@of_this_file"
        comment[0] = comment[0].replace("/** ", f"/** {page} ", 1)
        return [TOPICS.sub(r" * @named{\1} ", line) for line in comment]
    if not lines[start].startswith(" "):
        text = "\n".join(comment)
        more = completed(text, following(lines, end + 1))
        tag = TAGS.search(text) or re.search(r"\*/$", text)
        text = text[: tag.start()] + more + text[tag.start() :]
        if halves.experimental():
            text = re.sub(r" ?\*/$", " @experimental_half */", text)
        comment = text.split("\n")
    return comment


def end_of(lines, i):
    while not lines[i].rstrip().endswith("*/"):
        i += 1
    return i


def filtered(lines, halves):
    i = 0
    while i < len(lines):
        line = lines[i]
        halves.see(line)
        end = i
        if re.match(r" */\*\*? ", line):
            end = end_of(lines, i)
            yield from own_line(lines, i, end, halves)
        elif re.search(r"\S.* /\* ", line) and not re.match(r"#(if|else|endif)", line):
            end = end_of(lines, i)
            yield line.replace("/* ", "/**< ", 1)
            yield from lines[i + 1 : end + 1]
        else:
            yield line
        i = end + 1


def main(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    halves = Halves(text)
    halves.first_page = os.path.basename(path) == "habitat.h"
    print("\n".join(filtered(text.splitlines(), halves)))


main(sys.argv[1])
