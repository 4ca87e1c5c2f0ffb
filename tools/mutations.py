"""Mutations of the C sources: small changes that some test must notice.

The table tests/mutations.tbl has one mutation a line:

    IDENTIFIER @@ FILE @@ BEFORE @@ AFTER [@@ REASON]

BEFORE must stand exactly once in FILE. It is compared word by word: spaces and line ends do not
count, so formatting and moving code within a file do no harm. Text that is found once in another
source file is followed there; `mutate.py --follow` writes that file into the table. REASON says why a mutation may survive; one that begins with
"equivalent:" says why no input can tell it from the original, and is then not counted.
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests/mutations.tbl"
FOLDERS = ("src", "lab", "cli", "recorder")
CONSTANTS = "src/base/constants_*.h"
SEPARATOR = " @@ "

TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)
    |(?P<directive>^[ \t]*\#(?:[^\n\\]|\\.)*)
    |(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|[<>=!+\-*/%&|^]=|&&|\|\||\S)""",
    re.X | re.S | re.M,
)


def tokens(text):
    """(kind, text, start, end) of every token that is code: no comments, no directives."""
    return [
        (m.lastgroup, m.group(), m.start(), m.end())
        for m in TOKEN.finditer(text)
        if m.lastgroup not in ("comment", "directive")
    ]


def places(code, wanted):
    """Where the tokens of `wanted` follow each other in `code`: pairs (start, end) in its text."""
    words = [t[1] for t in tokens(wanted)]
    found = []
    if not words:
        return found
    for i in range(len(code) - len(words) + 1):
        if code[i][1] == words[0] and [t[1] for t in code[i : i + len(words)]] == words:
            found.append((code[i][2], code[i + len(words) - 1][3]))
    return found


class Mutation:
    def __init__(self, name, file, before, after, reason=""):
        self.name, self.file = name, file
        self.before, self.after, self.reason = before, after, reason

    @property
    def named(self):
        return not self.name.startswith("drawn-")

    @property
    def equivalent(self):
        return self.reason.startswith("equivalent:")

    def line(self):
        return SEPARATOR.join(
            [self.name, self.file, self.before, self.after] + [self.reason] * bool(self.reason)
        )


def read_table(path=TABLE):
    mutations, names = [], set()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split(SEPARATOR.strip())]
        if len(parts) not in (4, 5) or not all(parts[:4]) or parts[0] in names:
            raise SystemExit(f"{path}:{number}: want IDENTIFIER @@ FILE @@ BEFORE @@ AFTER [@@ REASON], "
                             "each identifier once")
        names.add(parts[0])
        mutations.append(Mutation(*parts))
    return mutations


def follow(tree, path=TABLE):
    """Writes into the table at `path` the files to which the text of its rows has moved; returns
    (mutation, new file) of each. Other lines stay as they are."""
    moved = []
    for mutation in read_table(path):
        found = tree.find(mutation)
        if not isinstance(found, str) and found[0] != mutation.file:
            moved.append((mutation, found[0]))
    new_file = {m.name: file for m, file in moved}
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        name, separator, rest = line.partition(SEPARATOR)
        if separator and name in new_file and not line.startswith("#"):
            lines[number] = SEPARATOR.join([name, new_file[name], *rest.split(SEPARATOR)[1:]])
    path.write_text("\n".join(lines) + "\n")
    return moved


def sources(root=ROOT):
    """Every C file that can be mutated, and the tables of constants, as paths from the root, sorted."""
    files = [path for folder in FOLDERS for path in (root / folder).rglob("*.c")]
    return sorted(str(path.relative_to(root)) for path in [*files, *root.glob(CONSTANTS)])


class Sources:
    """The texts of a tree and their tokens, read once."""

    def __init__(self, root=ROOT):
        self.text = {name: (root / name).read_text() for name in sources(root)}
        self.code = {name: tokens(text) for name, text in self.text.items()}

    def find(self, mutation):
        """(file, start, end) of the text to change, or words for what is wrong."""
        here = places(self.code.get(mutation.file, []), mutation.before)
        if len(here) == 1:
            return (mutation.file, *here[0])
        if len(here) > 1:
            return f"found {len(here)} times in {mutation.file}"
        moved = [(name, *at) for name in self.code for at in places(self.code[name], mutation.before)]
        if len(moved) == 1:
            return moved[0]
        return f"not found in {mutation.file}" + (", and several times elsewhere" if moved else "")

    def mutated(self, mutation):
        """(file, its text with the mutation applied)."""
        found = self.find(mutation)
        if isinstance(found, str):
            raise ValueError(found)
        file, start, end = found
        return file, self.text[file][:start] + mutation.after + self.text[file][end:]
