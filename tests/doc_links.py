#!/usr/bin/env python3
"""Fails on a reference that leads nowhere: a link of a page, `docs/PAGE.md#heading` in a source, a decision's number, a function's name.

What is looked at: links [words](page.md#heading) of every page, relative to it; docs/PAGE.md, with or without #heading, in any file; "decision 447" and
docs/decisions/0447. A heading's name in a link is made as Git hosts make it: small letters, blanks to "-", other punctuation left out; <a id="name"> counts, too. A page that names `a_function()` means one of this repository's code, but for those of
other libraries (FOREIGN); decisions and changes may name what is gone.

usage: doc_links.py [ROOT]
"""
import os
import pathlib
import re
import sys

FOLDERS = ("docs", "src", "include", "lab", "cli", "recorder", "python", "tools", "bench", "examples", "fuzz", "data", "compat", ".github")
SOURCES = {".md", ".c", ".h", ".py", ".pyi", ".sh", ".cu", ".txt", ".cmake", ".awk", ".yml"}
LINK = re.compile(r"\]\(([^)\s]+)\)")
PAGE = re.compile(r"(?<![\w/])(docs/[\w/-]+\.md)(?:#([\w-]+))?")
FUNCTION = re.compile(r"`([a-z]\w*_\w+)\(\)`")
CODE = ("src", "include", "lab", "cli", "recorder", "python")
FOREIGN = {"inference_mode", "no_grad", "no_sync", "pin_memory", "sdpa_kernel", "zero_grad"}  # PyTorch's
DECISION = re.compile(r"(?:docs/decisions/|\bdecisions? )(\d{3,4})\b")


def files_of(root):
    yield from sorted(root.glob("*.md"))
    for folder in FOLDERS:
        for where, folders, names in os.walk(root / folder):
            folders.sort()
            for name in sorted(names):
                if pathlib.Path(name).suffix in SOURCES:
                    yield pathlib.Path(where, name)


def name_of(heading):
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


def places(page):
    """Names that a link to a part of the page may have."""
    found, seen, code = set(re.findall(r'<a id="([\w-]+)">', page)), {}, False
    for line in page.splitlines():
        code ^= line.startswith("```")
        heading = re.match(r"#+ (.*)", line)
        if heading and not code:
            name = name_of(heading.group(1))
            found.add(f"{name}-{seen[name]}" if name in seen else name)
            seen[name] = seen.get(name, 0) + 1
    return found


def references(file, text, root):
    """(as written, path of the file meant, part of it or an empty text)"""
    if file.suffix == ".md":
        for link in LINK.findall(text):
            if not re.match(r"[a-z]+:", link):
                path, _, part = link.partition("#")
                yield link, (file.parent / path if path else file), part
    for found in PAGE.finditer(text):
        yield found.group(0), root / found.group(1), found.group(2) or ""


def names_of_code(root):
    """All words that are called or defined in the code."""
    found = set()
    for folder in CODE:
        for file in (root / folder).rglob("*"):
            if file.suffix in (".c", ".h", ".py", ".pyi"):
                found.update(re.findall(r"\b([a-z]\w*)\(", file.read_text(encoding="utf-8")))
    return found


def is_of_today(name):
    return name.suffix == ".md" and name.parts[:2] != ("docs", "decisions") and name.name not in ("CHANGELOG.md", "changes-in-detail.md")


def main():
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1] if len(sys.argv) == 2 else ".").resolve()
    decisions = {file.name[:4] for file in root.glob("docs/decisions/[0-9]*.md")}
    functions = names_of_code(root) | FOREIGN
    known, problems, count = {}, [], 0
    for file in files_of(root):
        text, name = file.read_text(encoding="utf-8"), file.relative_to(root)
        for written, path, part in references(file, text, root):
            count += 1
            path = pathlib.Path(os.path.normpath(path))
            if not path.exists():
                problems.append(f"{name}: {written}: no such file")
            elif part and path.suffix == ".md":
                if path not in known:
                    known[path] = places(path.read_text(encoding="utf-8"))
                if part not in known[path]:
                    problems.append(f"{name}: {written}: that page has no such heading")
        for function in FUNCTION.findall(text) if is_of_today(name) else ():
            count += 1
            if function not in functions:
                problems.append(f"{name}: {function}(): no code of this repository has a function of that name")
        for number in DECISION.findall(text):
            count += 1
            if number.zfill(4) not in decisions:
                problems.append(f"{name}: decision {number}: there is none of that number in docs/decisions")
    print("\n".join(problems) or f"ok - {count} references lead somewhere")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())
