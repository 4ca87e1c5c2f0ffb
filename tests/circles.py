#!/usr/bin/env python3
"""Fails when the sources have a circle, and names the files on it.

Files of src/, lab/, recorder/ and cli/ are the nodes; a module is a folder of src/, or one of the other three. A .c
file and the header of the same name are one node: the header declares what the file holds. An arrow goes from a file
  - to a file of these folders that it includes, and
  - to the file that defines a symbol that it uses (nm of the object files, so that calls and data count
    wherever they are declared).
Two levels: no circle between files, and none between modules.

usage: circles.py ROOT BUILD   (BUILD: the folder below which the object files are)
"""
import os
import re
import subprocess
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


FOLDERS = ("src", "lab", "recorder", "cli")


def node_of(path):
    """src/gpu/parse.c and src/gpu/parse.h are gpu/parse; lab/pairs.c is lab/pairs."""
    return os.path.splitext(path[4:] if path.startswith("src/") else path)[0]


def sources(root, folders):
    found = []
    for folder in folders:
        for where, _, names in os.walk(os.path.join(root, folder)):
            found += [os.path.relpath(os.path.join(where, name), root) for name in names if name.endswith((".c", ".h"))]
    return sorted(found)


def include_arrows(root, files):
    """What "name" includes: a file beside the one that says it, below src/, or below the root."""
    known = set(files)
    for file in files:
        with open(os.path.join(root, file), encoding="utf-8") as text:
            for name in INCLUDE.findall(text.read()):
                for path in (os.path.join(os.path.dirname(file), name), os.path.join("src", name), name):
                    if path in known:
                        yield node_of(file), node_of(path), "includes " + name
                        break


def objects_of(files, folder):
    """(source file, object file) of every .c file; a source without one is an error. CMake puts lab/pairs.c into
    lab/CMakeFiles/TARGET.dir/pairs.c.o, and src/gpu/parse.c into src/CMakeFiles/TARGET.dir/gpu/parse.c.o."""
    objects = {}
    for where, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".c.o"):
                path = os.path.join(where, name)
                built = re.sub(r"CMakeFiles/[^/]*\.dir/", "", os.path.relpath(path, folder))
                objects.setdefault(built, path)
    for file in files:
        if file.endswith(".c") and file + ".o" not in objects:
            sys.exit(f"{file}: no object file below {folder}; build first")
        if file.endswith(".c"):
            yield file, objects[file + ".o"]


def call_arrows(files, folder):
    source_of = {path: source for source, path in objects_of(files, folder)}
    home, uses = {}, []
    out = subprocess.run(["nm", "-A", "-P", "-g", *source_of], check=True, capture_output=True, text=True)
    for line in out.stdout.splitlines():
        path, rest = line.rsplit(": ", 1)
        name, kind = rest.split()[:2]
        if kind in "Uwv":
            uses.append((node_of(source_of[path]), name))
        else:
            home[name] = node_of(source_of[path])
    for node, name in sorted(uses):
        if home.get(name, node) != node:
            yield node, home[name], "uses " + name


def graph_of(arrows):
    graph = {}
    for start, end, why in arrows:
        graph.setdefault(end, {})
        if start != end:
            graph.setdefault(start, {}).setdefault(end, why)
    return graph


def circles(graph):
    """Sets of nodes that reach each other (Tarjan's strongly connected components, without recursion)."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in sorted(graph):
        work = [(root, iter(sorted(graph[root])))] if root not in index else []
        while work:
            node, ends = work[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                stack.append(node)
                on_stack.add(node)
            deeper = None
            for end in ends:
                if end not in index:
                    deeper = end
                    break
                if end in on_stack:
                    low[node] = min(low[node], index[end])
            if deeper:
                work.append((deeper, iter(sorted(graph[deeper]))))
                continue
            work.pop()
            if work:
                above = work[-1][0]
                low[above] = min(low[above], low[node])
            if low[node] == index[node]:
                members = set()
                while not members or node not in members:
                    members.add(stack.pop())
                on_stack -= members
                if len(members) > 1:
                    found.append(members)
    return found


def report(graph, level):
    found = circles(graph)
    for members in found:
        print(f"circle of {len(members)} {level}:")
        for start in sorted(members):
            for end in sorted(set(graph[start]) & members):
                print(f"  {start} -> {end}: {graph[start][end]}")
    return not found


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root, folder = sys.argv[1:]
    parts = [part for part in FOLDERS if part == "src" or os.path.isdir(os.path.join(folder, part))]  # others: not built
    files = sources(root, parts)
    if not files:
        sys.exit(f"no sources in {root}")
    arrows = list(call_arrows(files, folder)) + list(include_arrows(root, files))
    by_file = graph_of(arrows)
    by_module = graph_of((start.split("/")[0], end.split("/")[0], f"{start} {why}")
                         for start, end, why in arrows)
    good = report(by_module, "modules")
    good = report(by_file, "files") and good
    if good:
        print(f"ok - {len(by_file)} files in {len(by_module)} modules, no circle")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
