"""HTML reports in a real browser: charts, sorting, filtering, dark mode, a phone's width, the keyboard, no network."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator, List

import pytest

import habitat

from browser import Page, find_chromium

ROOT = Path(__file__).parents[2]
RECORDING = ROOT / "data" / "recordings" / "resnet50_b16_fp32_h200.json.gz"
LLAMA = ROOT / "data" / "recordings" / "llama_b4_bf16_h200.json.gz"
BERT = ROOT / "data" / "recordings" / "bert_b2_fp32_h100.json.gz"
COMMAND = Path(sys.executable).parent / "habitat"

chromium = find_chromium()
needs_browser = pytest.mark.skipif(chromium is None, reason="no chromium; tools/setup.sh python installs it")


def test_numbers_of_gpus_are_compared_by_the_sample() -> None:
    with habitat.Trace(BERT) as trace:
        text = trace.report(["L40S", "H100-SXM5-80GB"], gpu_count=[1, 4])
        rows = {(one.gpu, one.gpus): one for one in trace.predict_all(["L40S", "H100-SXM5-80GB"], gpu_count=[1, 4])}
    best = min(rows, key=lambda key: rows[key].iteration_ms / key[1])
    assert best == ("H100-SXM5-80GB", 4)
    assert '<h3>Fastest by the sample</h3>\n<p class="big">4 x H100-SXM5-80GB</p>' in text
    assert '"unit":"sample"' in text and '"bar":"iteration"' in text and "Cheapest by the sample" in text


def test_report_is_the_page_of_the_command_line(tmp_path: Path) -> None:
    with habitat.Trace(RECORDING) as trace:
        text = trace.report(["T4", "L4"])
        assert trace.report("T4", explain=True).count("resnet50_b16_fp32_h200 on T4") == 2
        with pytest.raises(habitat.HabitatError, match="T5000000"):
            trace.report("T5000000")
        with pytest.raises(ValueError, match="explain"):
            trace.report(["T4", "L4"], explain=True)
    assert text.startswith("<!DOCTYPE html>") and text.endswith("</html>\n")
    assert '<th scope="row">T4</th>' in text and '<th scope="row">A100' not in text


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    assert chromium is not None
    file = tmp_path_factory.mktemp("report") / "report.html"
    with habitat.Trace(RECORDING) as trace:
        file.write_text(trace.report(), encoding="utf-8")
    with Page(chromium) as browser:
        browser.open(file)
        yield browser


TABLE = "document.getElementById('gpu-table')"


def rows(page: Page, cell: int) -> List[str]:
    """One cell of each row that is shown."""
    found: List[str] = page.run(f"[...{TABLE}.tBodies[0].rows].filter((row) => !row.hidden).map((row) => row.cells[{cell}].textContent)")
    return found


def choose(page: Page, name: str, value: Any) -> None:
    key = "checked" if isinstance(value, bool) else "value"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    page.run(f"{{ const e = document.getElementById('{name}'); e.{key} = {text}; e.dispatchEvent(new Event('input', {{bubbles: true}})); }}")


@needs_browser
def test_few_rows_first_then_what_is_asked_for(page: Page) -> None:
    first = rows(page, 0)
    assert 10 <= len(first) <= 12 and "T4" not in first
    choose(page, "find", "rtx40")
    assert len(rows(page, 0)) >= 5 and all(name.startswith("RTX40") for name in rows(page, 0))
    choose(page, "find", "")
    choose(page, "vendor", "AMD")
    assert rows(page, 0) and all(name.startswith(("MI", "RX", "R9", "Radeon", "W")) for name in rows(page, 0)), rows(page, 0)
    choose(page, "vendor", "")
    choose(page, "every", True)
    assert len(rows(page, 0)) == len(habitat.gpus())
    assert page.run("document.getElementById('count').textContent") == f"{len(habitat.gpus())} of {len(habitat.gpus())} rows"
    choose(page, "priced", True)
    assert all(cell.startswith("$") for cell in rows(page, 7)) and 10 < len(rows(page, 7)) < 60
    choose(page, "priced", False)
    choose(page, "every", False)
    assert rows(page, 0) == first


@needs_browser
def test_sorting_by_number_unknown_last_and_back(page: Page) -> None:
    choose(page, "every", True)
    head = f"{TABLE}.tHead.rows[0].cells"
    column = 7
    assert page.run(f"{head}[{column}].textContent") == "$ per hour"
    page.run(f"{head}[{column}].querySelector('button').click()")
    assert page.run(f"{head}[{column}].getAttribute('aria-sort')") == "ascending"
    prices = [float(cell[1:]) for cell in rows(page, column) if cell != "\u2013"]
    assert prices == sorted(prices) and rows(page, column)[-1] == "\u2013"
    page.run(f"{head}[{column}].querySelector('button').click()")
    assert page.run(f"{head}[{column}].getAttribute('aria-sort')") == "descending"
    assert [float(cell[1:]) for cell in rows(page, column) if cell != "\u2013"] == prices[::-1]
    assert rows(page, column)[-1] == "\u2013"
    page.run(f"{head}[1].querySelector('button').click()")
    assert page.run(f"[...{head}].filter((cell) => cell.hasAttribute('aria-sort')).length") == 1
    times = [float(cell) for cell in rows(page, 1)]
    assert times == sorted(times)
    choose(page, "every", False)


@needs_browser
def test_every_chart_is_drawn_and_told_in_words(page: Page) -> None:
    charts = page.run("[...document.querySelectorAll('canvas')].map((c) => [c.getAttribute('role'), c.getAttribute('aria-label'), c.width, c.height])")
    assert len(charts) == 3
    for role, label, width, height in charts:
        assert role == "img" and "table" in label and width > 500 and height > 200
    painted = "(c) => { const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; }"
    assert all(count > 2000 for count in page.run(f"[...document.querySelectorAll('canvas')].map({painted})"))


@needs_browser
def test_dark_and_light(page: Page) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    bars = "Object.values(Chart.instances)[0].data.datasets[1].backgroundColor[0]"
    seen = set()
    for dark in (True, False):
        page.dark(dark)
        page.run("new Promise((done) => setTimeout(done, 100))")
        seen.add((page.run(ground), page.run(bars)))
    assert len(seen) == 2 and ("rgb(255, 255, 255)") in {colour for colour, _ in seen}


CONTRAST = """(() => {
  const light = (text) => { const v = text.match(/[0-9.]+/g).slice(0, 3).map((c) => c / 255)
    .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4); return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; };
  const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)$/.test(c)) return c; } return "rgb(255, 255, 255)"; };
  let least = 99;
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || ["SCRIPT", "STYLE"].includes(e.tagName)) continue;
    const a = light(getComputedStyle(e).color), b = light(ground(e));
    least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
  }
  return least;
})()"""


@needs_browser
@pytest.mark.parametrize("dark", (False, True))
def test_text_stands_out_from_its_ground(page: Page, dark: bool) -> None:
    page.dark(dark)
    assert page.run(CONTRAST) >= 4.5  # WCAG 2.1, AA
    page.dark(False)


@needs_browser
@pytest.mark.parametrize("width", (320, 390, 1280))
def test_the_page_is_no_wider_than_the_screen(page: Page, width: int) -> None:
    page.size(width, 844)
    page.run("new Promise((done) => setTimeout(done, 100))")
    assert page.run("document.documentElement.scrollWidth") <= width
    assert page.run("[...document.querySelectorAll('canvas')].every((c) => c.getBoundingClientRect().right <= innerWidth)")
    page.size(1280, 900)


@needs_browser
def test_keyboard_alone(page: Page) -> None:
    page.run("scrollTo(0, 0); document.activeElement.blur()")
    page.press("Tab")
    assert page.run("document.activeElement.textContent") == "Skip to the report"
    assert page.run("document.activeElement.getBoundingClientRect().left") >= 0
    page.press("Enter")
    assert page.run("document.activeElement.id") == "main"
    order = []
    for _ in range(60):
        page.press("Tab")
        order.append(page.run("document.activeElement.id || document.activeElement.textContent.slice(0, 20)"))
        if order[-1] == "every":
            break
    wanted = ["find", "vendor", "fits", "priced", "every"]
    assert [name for name in order if name in wanted] == wanted, order
    page.press("Tab")  # the table's own scrolling, then its first column
    page.press("Tab")
    sort = "document.activeElement.closest('th').getAttribute('aria-sort')"
    page.press(" ")
    up = rows(page, 0)
    assert page.run("document.activeElement.textContent") == "GPU" and page.run(sort) == "ascending"
    assert up[0].startswith("A10") and up[-1].startswith("RTX")
    page.press("Enter")
    assert page.run(sort) == "descending" and rows(page, 0) == up[::-1]
    assert page.run("[...document.querySelectorAll('input, select')].every((e) => e.labels.length === 1)")


@needs_browser
def test_paper(page: Page, tmp_path: Path) -> None:
    page.dark(True)
    page.paper(tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    assert not page.run("document.documentElement.classList.contains('paper')")
    page.dark(False)


@needs_browser
def test_hostile_names_stay_text(tmp_path: Path) -> None:
    assert chromium is not None
    evil = "</script><script>document.title='x'</script><img src=x onerror=alert(1)>"
    step = (ROOT / "tests" / "cli" / "fixtures" / "step.json").read_text(encoding="utf-8")
    (tmp_path / "step.json").write_text(step.replace('"aten::', '"aten::' + evil), encoding="utf-8")
    with habitat.Trace(tmp_path / "step.json") as trace:
        (tmp_path / "page.html").write_text(trace.report(["T4", "L4"]), encoding="utf-8")
    with Page(chromium) as page:
        page.open(tmp_path / "page.html")
        assert page.run("document.title") == "step on other GPUs - Habitat"
        assert page.run("document.images.length") == 0 and evil in page.run("document.body.textContent")
        assert page.complaints() == [] and len(page.requests()) == 1


@needs_browser
def test_each_row_of_the_sources_is_told_and_sorted(page: Page) -> None:
    details = "document.getElementById('provenance')"
    table = "document.getElementById('source-table')"
    assert page.run(f"{details}.open") is False
    page.run(f"{details}.querySelector('summary').click()")
    count = len(habitat.gpus())
    heads = page.run(f"[...{table}.tHead.rows[0].cells].map((cell) => cell.textContent)")
    assert page.run(f"{table}.tBodies[0].rows.length") == count and page.run(f"{table}.getBoundingClientRect().height") > 30 * count

    def cells(head: str) -> List[str]:
        found: List[str] = page.run(f"[...{table}.tBodies[0].rows].map((row) => row.cells[{heads.index(head)}].textContent)")
        return found

    with habitat.Trace(RECORDING) as trace:
        basis = {one.gpu: one.interval for one in trace.predict_all()}
    told = dict(zip(cells("GPU"), cells("Interval")))
    assert told.keys() == basis.keys() and all(told[gpu].split(' [')[0] == basis[gpu] for gpu in basis)
    dates = {(one["gpu"], one["date"]) for one in json.loads((ROOT / "data" / "prices.json").read_text(encoding="utf-8"))["prices"]}
    priced = [one for one in zip(cells("GPU"), cells("Date of the price")) if one[1] != "\u2013"]
    assert len(priced) > 10 and set(priced) <= dates
    assert all(one.startswith("\u2013") is False for one in cells("Kernel times by"))
    column = heads.index("Date of the price")
    page.run(f"{table}.tHead.rows[0].cells[{column}].querySelector('button').click()")
    dates_shown = [one for one in cells("Date of the price") if one != "\u2013"]
    assert dates_shown == sorted(dates_shown) and cells("Date of the price")[-1] == "\u2013"
    page.run(f"{details}.open = false")


def choice(tmp_path: Path, *words: str) -> Path:
    """A page of `habitat choose`."""
    if not COMMAND.exists():
        pytest.skip("the package is not installed in this environment")
    file = tmp_path / "choice.html"
    subprocess.run([COMMAND, "choose", *words, "--html", file], check=True, capture_output=True)
    return file


@needs_browser
@pytest.mark.parametrize("words, shown", [(["--to", "T4,P4"], 2), (["--to", "T4,P4,M60,M40"], 4), (["--max-usd-hour", "0.01"], 12)])
def test_where_no_gpu_can_be_taken_rows_are_shown(tmp_path: Path, words: List[str], shown: int) -> None:
    assert chromium is not None
    with Page(chromium) as page:
        page.open(choice(tmp_path, str(LLAMA), *words))
        assert len(rows(page, 0)) == shown
        assert page.run("document.getElementById('filter').hidden") is (shown < 4)
        assert page.run("document.querySelectorAll('canvas').length") >= 2
        text = page.run("document.body.innerText")
        assert "No GPU can be taken" in text and "No cost is known" not in text
        head = f"{TABLE}.tHead.rows[0].cells[1]"
        page.run(f"{head}.querySelector('button').click()")
        times = [float(cell) for cell in rows(page, 1)]
        assert times == sorted(times) and len(times) == shown
        if shown >= 4:
            choose(page, "every", True)
            assert len(rows(page, 0)) >= shown
        assert page.complaints() == []


@needs_browser
def test_few_rows_are_all_shown_whatever_is_drawn(tmp_path: Path) -> None:
    assert chromium is not None
    with Page(chromium) as page:
        page.open(choice(tmp_path, str(RECORDING), "--to", "T4,L4,MI300X", "--top", "1"))
        assert len(rows(page, 0)) == 3 and page.run("document.getElementById('filter').hidden")
        assert page.complaints() == []


@needs_browser
def test_several_batch_sizes_and_numbers_of_gpus(tmp_path: Path) -> None:
    assert chromium is not None
    with Page(chromium) as page:
        page.open(choice(tmp_path, str(BERT), "--to", "T4,L40S,H100-SXM5-80GB", "--batch", "2,8", "--gpus", "1,2"))
        heads = page.run(f"[...{TABLE}.tHead.rows[0].cells].map((cell) => cell.textContent)")
        assert page.run("document.getElementById('times-title').textContent") == "Time of a sample"
        assert page.run("Object.values(Chart.instances).map((chart) => chart.options.scales.x.title.text)") == [
            "ms of one sample", "ms of kernels and copies", "ms of one sample"]  # fmt: skip
        choose(page, "find", "2 x L40S")
        assert sorted(rows(page, 0)) == ["2 x L40S, batch 2", "2 x L40S, batch 8"]
        choose(page, "find", "")
        choose(page, "every", True)
        column = heads.index("$ for 1,000,000 samples")
        page.run(f"{TABLE}.tHead.rows[0].cells[{column}].querySelector('button').click()")
        costs = [float(cell[1:]) for cell in rows(page, column) if cell != "\u2013"]
        assert len(costs) > 6 and costs == sorted(costs)
        assert page.run("document.querySelectorAll('#source-table tbody tr').length") == 3
        assert page.complaints() == []


@needs_browser
def test_nothing_was_complained_of_or_asked_for(page: Page) -> None:
    """Last: of all that was done above."""
    assert page.complaints() == []
    assert all(url.startswith(("file:///", "data:")) for url in page.requests()) and len(page.requests()) == 1


@needs_browser
def test_without_its_script_the_page_says_all(tmp_path: Path) -> None:
    assert chromium is not None
    with habitat.Trace(RECORDING) as trace:
        (tmp_path / "page.html").write_text(trace.report(), encoding="utf-8")
    with Page(chromium) as page:
        page.ask("Emulation.setScriptExecutionDisabled", value=True)
        page.open(tmp_path / "page.html")
        nodes = page.ask("DOM.getDocument", depth=-1)["root"]["nodeId"]
        shown = page.ask("DOM.querySelectorAll", nodeId=nodes, selector="#gpu-table tbody tr:not([hidden])")["nodeIds"]
        assert len(shown) == len(habitat.gpus())
        assert page.ask("DOM.querySelectorAll", nodeId=nodes, selector="canvas, form:not([hidden])")["nodeIds"] == []
