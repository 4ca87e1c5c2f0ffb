#!/usr/bin/env python3
"""The mutation table's tools: text is found word by word, once; lost text is reported; draws repeat."""

import contextlib
import io
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
import draw_mutations
import mutate
from mutations import Mutation, Sources, follow, places, read_table, tokens

failed = 0


def check(name, holds):
    global failed
    failed += not holds
    print(("ok - " if holds else "not ok - ") + name)


code = 'int f(int a) {\n    /* a < 3 */ return a <\n        3 ? g("a < 3") : a<4;\n}\n'
check("text is found whatever its spaces, comments and strings apart",
      [code[start:end] for start, end in places(tokens(code), "a < 3")] == ["a <\n        3"])
check("words are whole", places(tokens("x = value;"), "x = val") == [])

tree = Sources()
tree.text = {"src/a.c": code, "src/b.c": "int h;"}
tree.code = {name: tokens(text) for name, text in tree.text.items()}
moved = Mutation("m", "src/b.c", "a < 4", "a <= 4")
check("text that moved to another file is followed", tree.find(moved)[0] == "src/a.c")
check("only the text is replaced", tree.mutated(moved)[1] == code.replace("a<4", "a <= 4"))
check("text that stands twice is refused", tree.find(Mutation("m", "src/a.c", "a <", "a >")) == "found 2 times in src/a.c")

lost = Mutation("drawn-001", "src/a.c", "a < 5", "a > 5")
said = io.StringIO()
try:
    with contextlib.redirect_stdout(said):
        mutate.check_all([lost], tree)
    check("lost text ends the run", False)
except SystemExit as error:
    check("lost text ends the run", "1 mutations no longer find" in str(error))
check("and says how to draw anew", "drawn-001: not found" in said.getvalue() and "draw_mutations.py --keep" in said.getvalue())

with tempfile.TemporaryDirectory() as folder:
    table = pathlib.Path(folder) / "mutations.tbl"
    kept = "# m @@ src/b.c @@ a\n" + Mutation("n", "src/b.c", "int h", "int i", "reason").line() + "\n"
    table.write_text(kept + moved.line() + "\n")
    try:
        with contextlib.redirect_stdout(said):
            mutate.check_files(read_table(table), tree)
        check("a row that names another file than its text's ends the check", False)
    except SystemExit as error:
        check("a row that names another file than its text's ends the check",
              "1 mutations name a file" in str(error) and "--follow" in str(error))
    check("following writes the file into that row",
          [(m.name, file) for m, file in follow(tree, table)] == [("m", "src/a.c")]
          and table.read_text() == kept + "m @@ src/a.c @@ a < 4 @@ a <= 4\n")
    check("and leaves nothing to follow", follow(tree, table) == [] and mutate.check_files(read_table(table), tree) is None)

first = [m.line() for m in draw_mutations.draw(7, 30, set())]
check("a draw repeats itself", first == [m.line() for m in draw_mutations.draw(7, 30, set())])
check("another seed draws others", first != [m.line() for m in draw_mutations.draw(8, 30, set())])
spaced = 'void f(struct w *w) {\n    say(w,\n        "two  blanks", 3);\n}\n'
words = tokens(spaced)
tree.text["src/d.c"], tree.code["src/d.c"] = spaced, words
three = [t[1] for t in words].index("3")
made = draw_mutations.make("drawn-001", "src/d.c", spaced, words, (three, three, "4"))
check("blanks inside of strings are kept", '"two  blanks"' in made.before and tree.find(made)[0] == "src/d.c")
real = Sources()
drawn = draw_mutations.draw(7, 30, set())
check("what is drawn is found once, and changes something",
      all(not isinstance(real.find(m), str) and m.before.split() != m.after.split() for m in drawn))
sys.exit(failed > 0)
