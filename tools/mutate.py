#!/usr/bin/env python3
"""Which small changes of the sources does no test notice?

usage: mutate.py [--jobs N] [--fresh] [--quick] [--check] [--follow] [--work FOLDER]
                 [ID | FIRST..LAST | named | drawn]...

Applies the mutations of tests/mutations.tbl one after the other to a copy of the tree (below
build-mutate/; the work tree is never touched), builds with gcc and runs the C and command-line
tests of ctest, quick ones first, until one fails. A mutation that does not compile, or whose tests
do not end, is killed as well, and counted apart. Results are kept by mutation and tree: a second run
does only what is left, and ranges of identifiers can be run one by one. --fresh forgets them,
--quick believes what was killed with the same sources and other tests (while tests are written),
--check only looks whether every mutation still finds its text, in the file that it names; --follow
writes into the table the files to which text has moved. Several at one time: give each a
FOLDER of its own in place of build-mutate/; results are shared.

Exit status: 0 when none of the named mutations and at most 5 % of the drawn ones survive.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

from mutations import ROOT, TABLE, Sources, follow, read_table

WORK = ROOT / "build-mutate"
RESULTS = WORK / "results.json"
TABLE_IN_TREE = TABLE.relative_to(ROOT)
SOURCE_FOLDERS = ("src/", "cli/", "recorder/", "include/")
ALLOWED_SHARE = 0.05
STAGES_S = (0.25, 1.0)  # tests quicker than this run in the first stage, than that in the second
MEMORY_BYTES, FILE_BYTES = 16 << 30, 16 << 30  # of one process: a mutation may ask for anything


def work_in(folder):
    """Sets where the copy of the tree and its build lie."""
    global PLACE, TREE, BUILD
    PLACE = pathlib.Path(folder).resolve()
    TREE, BUILD = PLACE / "habitat", PLACE / "build"
    TREE.mkdir(parents=True, exist_ok=True)
    WORK.mkdir(exist_ok=True)


def fail(text):
    raise SystemExit(f"mutate: {text}")


def limited():
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def call(command, limit_s):
    """(exit status, output); status None when it did not end in time."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               cwd=PLACE, preexec_fn=limited, text=True, errors="replace")
    try:
        output, _ = process.communicate(timeout=limit_s)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        return None, ""
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def tracked():
    """Files of the work tree that git knows or would add, but the table itself."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            check=True, capture_output=True).stdout.decode().split("\0")
    return [name for name in sorted(set(listed)) if name and (ROOT / name).is_file() and name != str(TABLE_IN_TREE)]


def copy_tree():
    """Makes the copy equal to the work tree, touching only what differs; returns the hashes of
    the tree and of its sources alone."""
    digest, sources, names = hashlib.sha256(), hashlib.sha256(), tracked()
    for name in names:
        data = (ROOT / name).read_bytes()
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
        if name.startswith(SOURCE_FOLDERS):
            sources.update(f"{name}\0{len(data)}\0".encode() + data)
        there = TREE / name
        if not there.is_file() or there.read_bytes() != data:
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, there)
            there.chmod((ROOT / name).stat().st_mode & 0o777)
    wanted = set(names)
    for path in list(TREE.rglob("*")):
        if path.is_file() and str(path.relative_to(TREE)) not in wanted:
            path.unlink()
    shared = ROOT.parent / "shared"
    if shared.is_dir() and not (PLACE / "shared").exists():
        (PLACE / "shared").symlink_to(shared)
    return digest.hexdigest()[:16], sources.hexdigest()[:16]


class Tests:
    """The tests of the build, in stages by how long they take."""

    def __init__(self, jobs):
        self.jobs, self.seconds, self.killers = jobs, {}, {}

    def names(self):
        status, text = call(["ctest", "--test-dir", str(BUILD), "--show-only=json-v1"], 120)
        if status != 0:
            fail(f"ctest lists no tests in {BUILD}")
        return [test["name"] for test in json.loads(text)["tests"]]

    def run(self, names, limit_s):
        """The first failing test; "" when all pass; None when they do not end in time."""
        if not names:
            return ""
        wanted = "^(" + "|".join(re.escape(name) for name in names) + ")$"
        jobs = str(self.jobs)
        status, text = call(["ctest", "--test-dir", str(BUILD), "--stop-on-failure", "-j", jobs, "-R", wanted],
                            limit_s)
        if status is None:
            return None
        for number, name, end, seconds in re.findall(
                r"Test +#(\d+): (\S+) [. ]*(.*?) +([\d.]+) sec", text):
            self.seconds[name] = float(seconds)
            if "***Timeout" in end:
                return None
            if "***" in end and "Skipped" not in end:
                return name
        return "" if status == 0 else "ctest"

    def measure(self):
        failed = self.run(self.names(), 3600)
        if failed != "":
            fail(f"{failed or 'a test'} fails without any mutation; nothing can be learned before it passes")

    def stages(self, file):
        left = set(self.seconds)
        favourites = [n for n in self.killers.get(file, []) if n in left][:6]
        yield favourites
        left -= set(favourites)
        for limit in (*STAGES_S, float("inf")):
            stage = [name for name in left if self.seconds[name] < limit]
            yield sorted(stage)
            left -= set(stage)

    def killer(self, file):
        """What notices the mutation built now: a test, "timeout", or "" for nothing. A test that
        passes the second time did not notice: other work on the machine disturbed it."""
        for stage in self.stages(file):
            left = list(stage)
            while left:
                failed = self.run(left, 30 + 5 * sum(self.seconds[name] for name in left))
                if failed == "":
                    break
                if failed is None:
                    return "timeout"
                if self.run([failed], 30 + 10 * self.seconds.get(failed, 10)) != "":
                    self.remember(file, failed)
                    return failed
                print(f"# {failed} failed once and passed then", flush=True)
                left = [name for name in left if name != failed]
        return ""

    def remember(self, file, failed):
        known = self.killers.setdefault(file, [])
        if failed in known:
            known.remove(failed)
        known.insert(0, failed)


def build(jobs):
    """(status, output) of building everything; None where the build itself hangs (a generator)."""
    return call(["cmake", "--build", str(BUILD), "-j", str(jobs)], 1800)


def configure():
    launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    status, text = call(["cmake", "-S", str(TREE), "-B", str(BUILD), "-G", "Ninja", "-DCMAKE_C_COMPILER=gcc",
                         "-DHABITAT_WERROR=ON", "-DHABITAT_BENCH=OFF", *launcher], 600)
    if status != 0:
        fail("cmake fails:\n" + text)


def write(path, text):
    """Writes a source so that its time always moves on: ninja compares times."""
    path.write_text(text)
    now = max(time.time_ns(), path.stat().st_mtime_ns)
    os.utime(path, ns=(now, now))


def try_one(mutation, sources, tests, jobs):
    """"compiler", "timeout", the name of the test that failed, or "" where nothing noticed."""
    file, text = sources.mutated(mutation)
    path = TREE / file
    try:
        write(path, text)
        status, output = build(jobs)
        (PLACE / "last-build.log").write_text(output)
        if status is None:
            return "timeout"
        return "compiler" if status != 0 else tests.killer(file)
    finally:
        write(path, sources.text[file])


def check_all(mutations, sources):
    """Ends the program unless every mutation finds its text exactly once."""
    lost = [(m, sources.find(m)) for m in mutations]
    lost = [(m, why) for m, why in lost if isinstance(why, str)]
    for mutation, why in lost:
        print(f"{mutation.name}: {why}: {mutation.before}")
    if not lost:
        return
    if any(m.named for m, _ in lost):
        print("named mutations: correct FILE or BEFORE in tests/mutations.tbl by hand")
    if any(not m.named for m, _ in lost):
        print("drawn mutations: tools/draw_mutations.py --keep >new.tbl && mv new.tbl tests/mutations.tbl")
    fail(f"{len(lost)} mutations no longer find their text exactly once")


def check_files(mutations, sources):
    """Ends the program where a mutation names a file that lacks its text: after a move, another
    place that reads alike would be taken for it one day."""
    found = [(m, sources.find(m)[0]) for m in mutations]
    moved = [(m, file) for m, file in found if file != m.file]
    for mutation, file in moved:
        print(f"{mutation.name}: moved from {mutation.file} to {file}")
    if moved:
        fail(f"{len(moved)} mutations name a file that lacks their text: look at them, then tools/mutate.py --follow")


def chosen(mutations, asked):
    names = [m.name for m in mutations]
    wanted = set()
    for word in asked or ["named", "drawn"]:
        first, dots, last = word.partition("..")
        if word in ("named", "drawn"):
            wanted |= {m.name for m in mutations if m.named == (word == "named")}
        elif first in names and (not dots or last in names):
            wanted |= set(names[names.index(first) : names.index(last if dots else first) + 1])
        else:
            fail(f"no mutation {word} in tests/mutations.tbl; want an identifier, FIRST..LAST, named or drawn")
    return [m for m in mutations if m.name in wanted]


def key(mutation, tree):
    text = f"{mutation.file}\0{mutation.before}\0{mutation.after}\0{tree}"
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def load_results(fresh):
    if fresh or not RESULTS.is_file():
        return {}
    return json.loads(RESULTS.read_text())


def keep_result(kept, m, result, tree, sources_only):
    """Notes a result, beside those that other runs have noted meanwhile."""
    kept.update(load_results(False))
    kept[key(m, tree)] = result
    if result:
        kept[key(m, sources_only)] = result
    new = RESULTS.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps(kept))
    new.rename(RESULTS)


def summary(title, mutations, results):
    """Prints the figures of one part; returns (counted, survivors that count)."""
    counted = [m for m in mutations if not (m.equivalent and results[m.name] == "")]
    survivors = [m for m in counted if results[m.name] == ""]
    killed = len(counted) - len(survivors)
    compiler = sum(results[m.name] == "compiler" for m in counted)
    hangs = sum(results[m.name] == "timeout" for m in counted)
    share = 100 * len(survivors) / len(counted) if counted else 0
    apart = f"{compiler} by the compiler, {hangs} by not ending"
    print(f"{title}: {len(counted)} mutations, {killed} killed ({apart}), {len(survivors)} survivors ({share:.1f} %)"
          + (f"; {len(mutations) - len(counted)} equivalent, not counted" if len(mutations) > len(counted) else ""))
    return len(counted), len(survivors)


def report(mutations, results):
    print()
    for m in mutations:
        if results[m.name] == "":
            print(f"survives: {m.name} {m.file}: {m.before}  ->  {m.after}\n          "
                  + (m.reason or "no reason is written: write a test, or say in the table why it may survive"))
    good = True
    named = [m for m in mutations if m.named]
    drawn = [m for m in mutations if not m.named]
    if named:
        good = summary("named", named, results)[1] == 0
    if drawn:
        counted, survivors = summary("drawn", drawn, results)
        good = good and survivors <= ALLOWED_SHARE * counted
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--follow", action="store_true")
    parser.add_argument("--work", default=WORK)
    parser.add_argument("which", nargs="*")
    asked = parser.parse_args()
    tree = Sources(ROOT)
    if asked.follow:
        for mutation, file in follow(tree):
            print(f"{mutation.name}: {mutation.file} -> {file}")
    mutations = read_table()
    check_all(mutations, tree)
    selected = chosen(mutations, asked.which)
    if asked.check:
        check_files(mutations, tree)
        print(f"{len(mutations)} mutations find their text")
    if asked.check or asked.follow:
        return 0
    work_in(asked.work)
    tree, sources_only = copy_tree()
    sources, kept, results = Sources(TREE), load_results(asked.fresh), {}

    def known(m):
        killed = kept.get(key(m, sources_only)) if asked.quick else None
        return kept.get(key(m, tree), killed)

    left = [m for m in selected if known(m) is None]
    tests = Tests(asked.jobs)
    if left:
        print(f"building and testing {tree} without mutations; then {len(left)} with one each", flush=True)
        configure()
        status, output = build(asked.jobs)
        if status != 0:
            fail("the tree does not build:\n" + output[-4000:])
        tests.measure()
    for m in selected:
        begun = time.monotonic()
        if known(m) is None:
            result = try_one(m, sources, tests, asked.jobs)
            keep_result(kept, m, result, tree, sources_only)
            print(f"{m.name}: {result or 'SURVIVES'} ({time.monotonic() - begun:.0f} s)", flush=True)
        results[m.name] = known(m)
    return 0 if report(selected, results) else 1


if __name__ == "__main__":
    sys.exit(main())
