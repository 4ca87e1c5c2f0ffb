#!/usr/bin/env python3
"""A public header as Doxygen reads it (docs/doxygen/Doxyfile, INPUT_FILTER), on standard output.

A header's comments are plain ones, for people who open the file; this makes Doxygen's of them:
* the first comment is of the file (habitat.h's: the first page); its "Units: ..", "Errors: .." become paragraphs;
* a comment on its own line is of what follows it, a comment behind code of what stands before it;
* what stands in the experimental half is marked.
No line is added or taken, so that warnings name the header's own lines.
usage: doxygen_filter.py HEADER
"""

import os
import re
import sys

TOPICS = re.compile(r"^ \* (Half|Units|Ownership|Errors|Threads): ")


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
        if halves.experimental():
            comment[-1] = re.sub(r" ?\*/$", " @experimental_half */", comment[-1])
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
