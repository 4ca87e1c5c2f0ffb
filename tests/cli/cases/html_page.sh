# --html writes a page that is whole in itself, with the numbers of --json, whatever names a trace holds.
step=$fixtures/step.json
sed -e "s#\"aten::#\"aten::</script><script>alert(1)</script><!--<script>\\\\u2028\&amp;\\\\\"'#" "$step" >'<b>step&.json'
"$habitat" predict '<b>step&.json' --to T4,L40S,A100-SXM4-80GB --html page.html >table && "$habitat" predict '<b>step&.json' --to T4,L40S,A100-SXM4-80GB --json >page.json
"$habitat" predict '<b>step&.json' --to T4,L40S,A100-SXM4-80GB | cmp - table && echo "the table is as without"
"$habitat" predict "$step" --html - >all.html; "$habitat" predict "$step" --json >all.json
"$habitat" explain "$step" --to T4 --html explain.html >explain.txt
"$habitat" choose "$step" --html choose.html >/dev/null; "$habitat" choose "$step" --json >choose.json
"$habitat" predict "$step" --to A4500,T4 --price A4500=0.30 --html near.html >/dev/null
"$habitat" choose "$step:3" "$fixtures/no_gpu.json" --html both.html --vendor any >/dev/null
"$habitat" predict "$fixtures/no_gpu.json" --to T4 --html no_gpu.html >/dev/null
"$habitat" predict "$source/data/recordings/bert_b2_fp32_h100.json.gz" --to T4,L4 --batch 2,4 --html batch.html >/dev/null
printf 'gpu,usd_per_gpu_hour,product,date\nL40S,0.9,,2024-11-01\nL4,0.2,GPU alone,\n' >old.csv
SOURCE_DATE_EPOCH=1795305600 "$habitat" choose "$step" --to L40S,L4 --prices old.csv --html old.html >old.txt # 2026-11-22
"$habitat" choose "$source/data/recordings/llama_b4_bf16_h200.json.gz" --to T4,P4,MI300X --html none.html >none.txt
set -- "$source/data/recordings/bert_b2_fp32_h100.json.gz" --to T4,L40S,H100-SXM5-80GB --batch 2,8 --gpus 1,2
"$habitat" choose "$@" --html sample.html >/dev/null; "$habitat" choose "$@" --json >sample.json
cat >look.py <<'PY'
import base64, hashlib, html, html.parser, json, re, sys

class Page(html.parser.HTMLParser):
    EMPTY = {"meta", "link", "input"}
    def __init__(self, file):
        super().__init__()
        self.open, self.elements, self.scripts, self.text, self.rows = [], [], [], [], []
        self.source = open(file, encoding="utf-8").read()
        self.feed(self.source)
        assert not self.open, self.open
    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        assert not any(name.startswith("on") or name == "style" for name in attrs), attrs
        assert not any(re.match(r"(https?:)?//", value or "") for value in attrs.values()), attrs
        self.elements.append((tag, attrs))
        if tag in ("script", "style"):
            self.scripts.append("")
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append(attrs.get("data-v"))
        if tag not in self.EMPTY:
            self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()
    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style"):
            self.scripts[-1] += data
        else:
            self.text.append(data)
    def named(self, key):
        return [attrs[key] for _, attrs in self.elements if key in attrs]

pages = {name: Page(name + ".html") for name in ("page", "all", "explain", "choose", "both", "no_gpu", "batch", "near", "old", "none", "sample")}
for name, page in pages.items():
    ids = page.named("id")
    assert len(page.scripts) == 4 and len(set(ids)) == len(ids), (name, len(page.scripts))
    policy = dict(page.elements[3][1])["content"]
    for piece in (page.scripts[0], *page.scripts[2:]):  # styles, charts, script; the data do not run
        digest = base64.b64encode(hashlib.sha256(piece.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy, name
    for target in page.named("href"):
        assert target == "data:," or target[1:] in ids, target
    for label in page.named("aria-labelledby"):
        assert label in ids, label
    data = json.loads(page.scripts[1])
    text = "".join(page.text)
    assert "nan" not in page.scripts[1] and "NaN" not in text, name
    print(name, sorted(data), len(data["times"]), len(data["costs"]), [len(one["bars"]) for one in data["breakdowns"]])

page, wanted = pages["page"], json.load(open("page.json"))
text = "".join(page.text)
assert "\u2028" in text and "aten::</script><script>alert(1)</script><!--<script>" in text and "<b>step&.json" in text
assert "\u2028" not in page.scripts[1] and "<" not in page.scripts[1]
assert page.source.count("<script") == 3 + page.scripts[2].count("<script"), page.source.count("<script")
found = {row[1] for row in page.rows if len(row) > 5}
for one in wanted["predictions"]:
    assert repr(one["iteration_ms"]) in found, one["gpu"]
print("every time of --json is in the table")
found = [row[1] for row in pages["all"].rows]
every = json.load(open("all.json"))["predictions"]
assert all(repr(one["iteration_ms"]) in found for one in every)
print("so are those of all", len(every) > 100)
choice = json.load(open("choose.json"))
text = "".join(pages["choose"].text)
assert "Take the " + choice["reason"] in text
assert all(one["reason"] in text for one in choice["excluded"])
print("choose: the reason, and why others are left out")
def front(page):
    return {one["name"] for one in json.loads(page.scripts[1])["costs"] if one["front"]}
assert front(pages["choose"]) == set(choice["pareto"]) and choice["pareto"]
print("front:", front(pages["all"]) == front(pages["choose"]))
# Whether it fits is what --json says, null where it is not known; what the page says of room is in words.
wanted = {one["gpu"]: one["fits"] for one in every} | {row["gpu"]: row["fits"] for row in choice["ranking"]}
said = {}
for name in ("all", "choose", "no_gpu", "near"):
    for one in json.loads(pages[name].scripts[1])["costs"]:
        assert one["fits"] is (None if name == "no_gpu" else wanted[one["name"]]), (name, one)
        said.setdefault(one["fits"], set()).add(one["room"])
print("fits:", {str(fits): sorted(words) for fits, words in said.items()})
# The reasons that explain gives in text, where lines end earlier.
told = " ".join(open("explain.txt").read().split())
reasons = re.findall(r"<li>(.*)</li>", re.search(r"<ol>(.*?)</ol>", pages["explain"].source, re.S)[1])
for number, words in enumerate(reasons, 1):
    assert f"{number}. {html.unescape(words)}" in told, words
print("explain:", len(reasons), "reasons;", sum("<ol>" in page.source for page in pages.values()), "page has them")
assert "leave out --batch" in "".join(pages["batch"].text)
assert "measured" not in pages["batch"].scripts[1]
costs = json.loads(pages["batch"].scripts[1])["costs"]
assert json.loads(pages["batch"].scripts[1])["unit"] == "sample"  # by which the front is told
best = min(costs, key=lambda one: one["ms"])
assert best["front"] and "batch 4" in best["name"] and len({one["name"] for one in costs}) == 2
# Notes on prices: those of the text, word by word, and no remark says a thing twice.
[note] = [" ".join(one.split()) for one in open("old.txt").read().split("Note: ")[1:] if one.startswith("the price")]
for words in note.replace("; that of", "; the price of").split("; "):
    assert f"<li>{words}</li>" in pages["old"].source, words
print(note)
for name, page in pages.items():
    for cell in re.findall(r'<td class="words">(.*?)</td>', page.source):
        parts = re.split(", |: ", cell)
        assert len(set(parts)) == len(parts), (name, cell)
        assert not ("may not fit" in cell and "not known to fit" in cell), (name, cell)
# Nothing can be taken: what came near is drawn, and the page says so.
none = pages["none"]
text = "".join(none.text)
left_out = " ".join(open("none.txt").read().split("Left out: ")[1].split("Note: ")[0].split())
assert f"Left out: {left_out}." in text and "What comes nearest" in text, left_out
assert "No GPU can be taken" in text and "drawn are the 3 that came nearest" in text and "No cost is known" not in text
print("none:", [one["name"] for one in json.loads(none.scripts[1])["times"]], none.source.count('<tr class="first'))
# Several batch sizes and numbers of GPUs: times, costs and front are by the sample, in charts and table.
sample, wanted = pages["sample"], json.load(open("sample.json"))
data = json.loads(sample.scripts[1])
drawn = {one["name"]: one for one in data["costs"]}
bars = {one["name"]: one["ms"] for one in data["times"]}
assert data["unit"] == data["bar"] == "sample" and "Time of a sample" in "".join(sample.text) and wanted["per"] == "sample"
assert len(drawn) == len(wanted["ranking"]) > 6
heads = [html.unescape(one) for one in re.findall(r'<th scope="col">(.*?)</th>', sample.source[sample.source.index('id="gpu-table"'):])]
cells = {html.unescape(re.search(r'<th scope="row">(.*?)</th>', row)[1]): re.findall(r"<t[hd](?: data-v=\"(.*?)\")?", row) for row in
         re.findall(r"<tr [^>]*data-vendor.*?</tr>", sample.source, re.S)}
def near(a, b):
    return abs(a - b) <= 1e-12 * abs(b)
for one in wanted["ranking"]:
    name = f"{one['gpus']} x " * (one["gpus"] > 1) + f"{one['gpu']}, batch {one['batch_size']}"
    samples = one["batch_size"] * one["gpus"]
    usd = 1e3 * one["usd_per_1000_iterations"] / samples
    assert near(drawn[name]["ms"], one["iteration_ms"] / samples) and near(drawn[name]["usd"], usd) and near(one["value"], usd), (one, drawn[name])
    assert drawn[name]["front"] is one["pareto"] and near(bars.get(name, drawn[name]["ms"]), drawn[name]["ms"]), one
    row = [float(cell or "nan") for cell in cells[name][1:]]
    assert near(row[heads.index("Samples per s") - 1], one["samples_per_s"]) and near(row[heads.index("$ for 1,000,000 samples") - 1], usd), (one, row)
print("by the sample:", len(bars), "rows drawn")
# Where numbers come from: a row of each GPU, and a document for each number in brackets.
for name in ("all", "choose", "batch", "none", "sample"):
    page = pages[name]
    table = re.search(r'<table id="source-table".*?</table>', page.source, re.S)[0]
    gpus = re.findall(r'<th scope="row">(.*?)</th>', table)
    documents = re.search(r'<ol class="documents">(.*?)</ol>', page.source, re.S)[1].count("<li>")
    named = {int(number) for number in re.findall(r"\[(\d+)\]", table)}
    assert named == set(range(1, documents + 1)), (name, named, documents)
    assert all(row.count("<t") == 11 for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)[1:]), name
    shown = {html.unescape(re.sub(r"^\d+ x |, batch \d+$", "", one)) for one in re.findall(r'<tr [^>]*data-vendor[^>]*>\n<th scope="row">(.*?)</th>', page.source)}
    assert len(gpus) == len(set(gpus)) and set(gpus) == shown, name
    assert len(page.source) < 1000000, (name, len(page.source))
    print("sources:", name, len(gpus) > 100 or len(gpus))
PY
python3 look.py
