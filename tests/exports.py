#!/usr/bin/env python3
"""Fails when the library exports what no user of predictions calls, or holds what nobody calls.

  1. What libhabitat.so exports is what the public headers declare with HABITAT_API, no more and no less.
  2. Each of these is called by something that is not a test: another file of src/, the command line, the
     laboratory, Python, an example or a benchmark. FOR_PROGRAMS are those that only other people's programs
     call, with the reason.
  3. Every other function or table that a file of src/, the laboratory, the command line or the recorder shares
     is used by another file, or at least by its own.

usage: exports.py ROOT BUILD LIBRARY   (BUILD: the folder with the object files)
"""
import glob
import os
import re
import subprocess
import sys

FOR_PROGRAMS = {
    r"habitat_gpu_\w+": "reading a GPU, and adding one from a text",
    r"habitat_operation_work": "the work of one operation, whose number formats are all given",
    r"habitat_trace_read_memory": "a trace that lies in memory",
    r"habitat_trace_calls|habitat_call_kind_name": "calls into the runtime, with what waits for what",
    r"habitat_workload_group_index": "which kernels a group has",
    r"habitat_workload_from_operations": "a workload without a recording",
    r"habitat_workload_warnings": "what a recording gives reason to say, apart from a report",
}
# what others call by name: the driver's hooks
ENTRIES = r"main|InitializeInjection(Nvtx2)?"
# main parts of a build folder; tests and fuzz targets are none of them
USERS = ("lab", "cli", "bench", "examples", "recorder")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def objects(folder):
    return [os.path.join(where, name) for where, _, names in os.walk(folder)
            for name in names if name.endswith(".o")]


def symbols(paths):
    """For each object file the symbols that it defines for others, and those that it uses. Those of
    sanitizers, which begin with "_", are left out."""
    found = {path: (set(), set()) for path in paths}
    for line in run("nm", "-A", "-P", "-g", *paths).splitlines() if paths else ():
        path, rest = line.rsplit(": ", 1)
        name, kind = rest.split()[:2]
        if not name.startswith("_"):
            found[path][kind in "Uwv"].add(name)
    return found


def code_of(path):
    with open(path, encoding="utf-8") as text:
        return re.sub(r"/\*.*?\*/|//[^\n]*|^[ \t]*#[^\n]*", " ", text.read(), flags=re.S | re.M)


def declared(root):
    names = {}
    for header in sorted(glob.glob(os.path.join(root, "include", "habitat", "*.h"))):
        for match in re.finditer(r"\bHABITAT_API\b[^;(]*?(\w+)\s*\(", code_of(header)):
            names[match.group(1)] = os.path.basename(header)
    return names


def words_of_python(root):
    words = set()
    for path in glob.glob(os.path.join(root, "python", "**", "*.py"), recursive=True):
        with open(path, encoding="utf-8") as text:
            words.update(re.findall(r"\bhabitat_\w+", text.read()))
    return words


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    root, build, library = sys.argv[1:]
    problems = []
    exported = {line.split()[0] for line in run("nm", "-D", "-P", "--defined-only", library).splitlines()
                if line.split()[1] in "TBDRV" and not line.startswith("_")}
    api = declared(root)
    problems += [f"{name}: exported, but no public header declares it" for name in sorted(exported - set(api))]
    problems += [f"{name}: declared in {api[name]}, but not exported" for name in sorted(set(api) - exported)]

    inside = os.path.join(build, "src", "CMakeFiles", "habitat_objects.dir")
    sources = {os.path.join(inside, os.path.relpath(source, os.path.join(root, "src")) + ".o"): source
               for source in sorted(glob.glob(os.path.join(root, "src", "*", "*.c")))}
    home, users = {}, words_of_python(root)
    for path, (defined, used) in symbols(list(sources)).items():
        users |= used
        home.update((name, sources[path]) for name in defined)
    others = [path for part in USERS for path in objects(os.path.join(build, part))]
    others += objects(os.path.join(build, "src", "gpu", "CMakeFiles"))  # the generator of the table
    users = users.union(*(used for _, used in symbols(others).values()))
    for part in ("lab", "cli", "recorder"):
        for path in objects(os.path.join(build, part)):
            source = os.path.join(root, part, os.path.basename(path)[:-2])
            if os.path.exists(source):  # else a test's
                home.update((name, source) for name in symbols([path])[path][0])
    for name, source in sorted(home.items()):
        file = os.path.relpath(source, root)
        if name in users or re.fullmatch(ENTRIES, name):
            continue
        if name in api:
            if not any(re.fullmatch(pattern, name) for pattern in FOR_PROGRAMS):
                problems.append(f"{name}: {api[name]} has it, {file} holds it, and only tests call it")
        elif len(re.findall(rf"\b{name}\b", code_of(source))) < 2:
            problems.append(f"{name}: {file} holds it, and nothing but tests uses it")
    for problem in problems:
        print(problem)
    if not problems:
        print(f"ok - {len(exported)} exported symbols, all declared and called; nothing unused")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
