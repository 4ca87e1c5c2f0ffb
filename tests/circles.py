#!/usr/bin/env python3
"""Fails when src/ has a circle, and names the files on it.

Files are the nodes; a module is a folder of src/. A .c file and the header of the same name are one
node: the header declares what the file holds. An arrow goes from a file
  - to a file of src/ that it includes, and
  - to the file that defines a symbol that it uses (nm of the object files, so that calls and data count
    wherever they are declared).
Two levels: no circle between files, and none between modules.

usage: circles.py ROOT OBJECTS   (OBJECTS: the folder below which the object files of src/ are)
"""
import os
import re
import subprocess
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def node_of(path):
    """src/gpu/parse.c and gpu/parse.h are gpu/parse."""
    return os.path.splitext(path)[0]


def sources(root):
    found = []
    for folder, _, names in os.walk(os.path.join(root, "src")):
        found += [os.path.relpath(os.path.join(folder, name), os.path.join(root, "src"))
                  for name in names if name.endswith((".c", ".h"))]
    return sorted(found)


def include_arrows(root, files):
    known = set(files)
    for file in files:
        with open(os.path.join(root, "src", file), encoding="utf-8") as text:
            for name in INCLUDE.findall(text.read()):
                if name in known:
                    yield node_of(file), node_of(name), "includes " + name


def objects_of(files, folder):
    """(source file, object file) of every .c file; a source without one is an error."""
    objects = {}
    for where, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".c.o"):
                objects.setdefault(os.path.relpath(os.path.join(where, name), folder), None)
    for file in files:
        if not file.endswith(".c"):
            continue
        fitting = [o for o in objects if o == file + ".o" or o.endswith("/" + file + ".o")]
        if not fitting:
            sys.exit(f"{file}: no object file below {folder}; build first")
        yield file, os.path.join(folder, min(fitting, key=len))


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
    files = sources(root)
    if not files:
        sys.exit(f"no sources in {root}/src")
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
