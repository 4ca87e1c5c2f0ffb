#!/usr/bin/env python3
"""The circle check must fail on a circle of includes and on one of calls: builds small trees and expects
to be told, with the names of the files.

usage: circles_selftest.py COMPILER
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GOOD = {
    "src/base/text.h": "#pragma once\nint text_length(void);\n",
    "src/base/text.c": '#include "base/text.h"\nint text_length(void) { return 1; }\n',
    "src/gpu/table.h": '#pragma once\n#include "base/text.h"\nint table_find(void);\n',
    "src/gpu/table.c": '#include "gpu/table.h"\nint table_find(void) { return text_length(); }\n',
    "src/gpu/names.c": '#include "gpu/table.h"\nint names(void) { return table_find(); }\n',
    "lab/pairs.h": "#pragma once\nint pairs(void);\n",
    "lab/pairs.c": '#include "lab/pairs.h"\n#include "gpu/table.h"\nint pairs(void) { return table_find(); }\n',
    "recorder/store.h": "#pragma once\nint store(void);\n",
    "recorder/store.c": '#include "store.h"\nint store(void) { return 1; }\n',
    "recorder/write.c": '#include "store.h"\nint trace_write(void) { return store(); }\n',
}
# what is planted, and what the answer must name
BAD = [
    ({"src/base/text.h": '#pragma once\n#include "gpu/table.h"\nint text_length(void);\n'},  # by includes
     ["circle of 2 modules", "base -> gpu", "gpu -> base", "circle of 2 files", "includes gpu/table.h"]),
    ({"src/gpu/table.c": '#include "gpu/table.h"\nint names(void);\n'
                     "int table_find(void) { return text_length() + names(); }\n"},  # by calls alone
     ["circle of 2 files", "gpu/names -> gpu/table: uses table_find", "gpu/table -> gpu/names: uses names"]),
    ({"src/base/text.c": "extern int names_count;\nint text_length(void) { return names_count; }\n",  # by data
      "src/gpu/names.c": '#include "gpu/table.h"\nint names_count = 1;\nint names(void) { return table_find(); }\n'},
     ["circle of 2 modules", "circle of 3 files", "base/text -> gpu/names: uses names_count"]),
    ({"lab/tables.c": '#include "lab/pairs.h"\nint pairs_print(void) { return pairs(); }\n',  # in the laboratory
      "lab/pairs.c": "int pairs_print(void);\nint pairs(void) { return pairs_print(); }\n"},
     ["circle of 2 files", "lab/pairs -> lab/tables: uses pairs_print"]),
    ({"src/gpu/names.c": "int pairs(void);\nint names(void) { return pairs(); }\n"},  # the library uses the laboratory
     ["circle of 2 modules", "gpu -> lab: gpu/names uses pairs", "lab -> gpu"]),
    ({"recorder/store.c": "int trace_write(void);\nint store(void) { return trace_write(); }\n"},  # in the recorder
     ["circle of 2 files", "recorder/store -> recorder/write: uses trace_write"]),
]


def check(compiler, files):
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
        for name in files:
            if name.endswith(".c"):
                top, below = name.split("/", 1)  # as CMake lays them out
                target = os.path.join(root, "objects", top, "CMakeFiles/some.dir", below + ".o")
                os.makedirs(os.path.dirname(target), exist_ok=True)
                subprocess.run([compiler, "-I" + root, "-I" + os.path.join(root, "src"), "-c",
                                os.path.join(root, name), "-o", target], check=True)
        done = subprocess.run([sys.executable, os.path.join(HERE, "circles.py"), root,
                               os.path.join(root, "objects")], capture_output=True, text=True)
        return done.returncode, done.stdout


def main():
    compiler = sys.argv[1]
    code, said = check(compiler, GOOD)
    if code:
        sys.exit("not ok - a tree without circles was refused: " + said)
    for planted, expected in BAD:
        code, said = check(compiler, {**GOOD, **planted})
        missing = [text for text in expected if text not in said]
        if code != 1 or missing:
            sys.exit(f"not ok - let through or not named: {missing}\n{said}")
    print("ok - the circle check notices circles of includes, calls and data")


if __name__ == "__main__":
    main()
