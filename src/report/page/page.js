/* Charts, sorting and filtering. The page says everything without this script; it only draws what
   the tables hold, and hides rows. */
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  root.classList.add("script");

  /* ---- numbers ---- */

  const digits = (value, count) => {
    if (!Number.isFinite(value)) return "\u2013";
    const whole = Math.floor(Math.log10(Math.abs(value) || 1)) + 1;
    return value.toFixed(Math.min(6, Math.max(0, count - whole)));
  };
  const ms = (value) => digits(value, 3) + " ms";
  const dollars = (value) => "$" + digits(value, 3);

  /* ---- charts ---- */

  let charts = [];
  const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim();

  /* One canvas with words for those who do not see it. */
  const canvasIn = (place, height, label) => {
    const canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", label);
    place.style.height = height + "px";
    place.replaceChildren(canvas);
    return canvas;
  };

  /* Names beside points, where there is room: right, left, above or below. */
  const namesBeside = (dataset, words) => ({
    id: "names",
    afterDatasetsDraw(chart) {
      const context = chart.ctx;
      context.save();
      context.font = "12px " + Chart.defaults.font.family;
      context.fillStyle = colour("--text");
      context.textBaseline = "middle";
      const points = chart.getDatasetMeta(dataset).data;
      const taken = points.map(({ x, y }) => ({ left: x - 6, right: x + 6, top: y - 6, bottom: y + 6 }));
      points.forEach((point, index) => {
        const width = context.measureText(words[index]).width;
        const free = [[10, 0], [-10 - width, 0], [-width / 2, -15], [-width / 2, 15]]
          .map(([dx, dy]) => ({ left: point.x + dx, right: point.x + dx + width, top: point.y + dy - 7, bottom: point.y + dy + 7 }))
          .find((box) => box.left > chart.chartArea.left && box.right < chart.width && !taken.some((other) => meet(box, other)));
        if (!free) return;
        taken.push(free);
        write(context, words[index], free.left, (free.top + free.bottom) / 2);
      });
      context.restore();
    },
  });
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  /* Lines behind it do not cross it. */
  const write = (context, words, x, y) => {
    context.lineWidth = 4;
    context.lineJoin = "round";
    context.strokeStyle = colour("--ground");
    context.strokeText(words, x, y);
    context.fillText(words, x, y);
  };

  const axis = (title, more) => ({
    title: { display: Boolean(title), text: title, color: colour("--quiet") },
    ticks: { color: colour("--text") },
    grid: { color: colour("--line"), borderColor: colour("--line") },
    ...more,
  });
  const names = (more) => axis("", {
    grid: { display: false, borderColor: colour("--line") },
    ticks: { color: colour("--text"), autoSkip: false, font: { size: 12 } },
    ...more,
  });
  /* "H100-SXM5-80GB, batch 32" on two lines. */
  const lines = (name) => name.includes(", ") ? name.split(", ") : name;
  const pitch = (rows, usual) => rows.some((row) => row.name.includes(", ")) ? 36 : usual;
  const draw = (canvas, config) => charts.push(new Chart(canvas, config));
  const base = { animation: false, responsive: true, maintainAspectRatio: false };

  const drawTimes = () => {
    const rows = data.times;
    const range = (row) => Number.isFinite(row.low) ? [row.low, row.high] : null;
    const label = "Bar chart of the time of one " + data.bar + " and its 80 % interval, " + rows.length +
      " rows; the table of all GPUs holds the numbers.";
    const said = (item) => {
      const row = rows[item.dataIndex];
      return item.datasetIndex === 1 ? "predicted " + ms(row.ms)
        : "80 % interval " + ms(row.low) + " to " + ms(row.high) + (row.calibrated ? "" : ", default width");
    };
    draw(canvasIn(byId("times-chart"), pitch(rows, 26) * rows.length + 76, label), {
      type: "bar",
      data: {
        labels: rows.map((row) => lines(row.name)),
        datasets: [
          { label: "80 % interval", data: rows.map(range), backgroundColor: colour("--range"), barThickness: 3, grouped: false, order: 1 },
          { label: "predicted", data: rows.map((row) => row.ms), barThickness: 16, grouped: false, order: 2,
            backgroundColor: rows.map((row) => colour(row.mark ? "--mark" : "--bar")) },
        ],
      },
      options: {
        ...base, indexAxis: "y", layout: { padding: { right: 56 } },
        scales: { x: axis(data.bar === "iteration" ? "ms" : "ms of one " + data.bar, { beginAtZero: true }), y: names() },
        plugins: {
          legend: { labels: { color: colour("--text"), boxWidth: 14, generateLabels: timesLegend }, onClick: () => {} },
          tooltip: { callbacks: { label: said } },
        },
      },
      plugins: [endOfRange(rows)],
    });
  };
  const timesLegend = () => [
    { text: "predicted", fillStyle: colour("--bar"), strokeStyle: colour("--bar"), fontColor: colour("--text") },
    { text: "origin or recommended", fillStyle: colour("--mark"), strokeStyle: colour("--mark"), fontColor: colour("--text") },
    { text: "80 % interval", fillStyle: colour("--range"), strokeStyle: colour("--range"), fontColor: colour("--text") },
  ];
  /* The time, right of bar and interval. */
  const endOfRange = (rows) => ({
    id: "times",
    afterDatasetsDraw(chart) {
      const context = chart.ctx, scale = chart.scales.x;
      context.save();
      context.font = "12px " + Chart.defaults.font.family;
      context.fillStyle = colour("--text");
      context.textBaseline = "middle";
      chart.getDatasetMeta(1).data.forEach((bar, index) => {
        const end = Math.max(rows[index].ms || 0, rows[index].high || 0);
        write(context, digits(rows[index].ms, 3), scale.getPixelForValue(end) + 7, bar.y);
      });
      context.restore();
    },
  });

  const drawBreakdown = (part, place) => {
    const used = part.classes.map((name, index) => ({ name, index }))
      .filter(({ index }) => part.bars.some((bar) => bar.ms[index] > 0));
    const label = "Stacked bars of kernel time by class of operation on " + part.bars.length +
      " GPUs; the table below it holds the numbers.";
    draw(canvasIn(place, pitch(part.bars, 28) * part.bars.length + 120, label), {
      type: "bar",
      data: {
        labels: part.bars.map((bar) => lines(bar.name)),
        datasets: used.map(({ name, index }) => ({
          label: name, data: part.bars.map((bar) => bar.ms[index]), barThickness: 18,
          backgroundColor: colour("--class-" + shade(part, index)), borderColor: colour("--ground"), borderWidth: { right: 1 },
        })),
      },
      options: {
        ...base, indexAxis: "y",
        scales: { x: axis("ms of kernels and copies", { stacked: true }), y: names({ stacked: true }) },
        plugins: {
          legend: { labels: { color: colour("--text"), boxWidth: 14 } },
          tooltip: { callbacks: { label: (item) => item.dataset.label + " " + ms(item.parsed.x) } },
        },
      },
    });
  };
  /* The two last are "rest" and "copies". */
  const shade = (part, index) => Math.min(index, 7) === index && index < part.classes.length - 2
    ? index : 10 - (part.classes.length - index);

  const drawCosts = () => {
    const place = byId("cost-chart"), rows = data.costs;
    if (!place) return;
    const front = rows.filter((row) => row.front).sort((a, b) => a.ms - b.ms);
    const others = rows.filter((row) => !row.front);
    const named = front.length ? front : others;
    const point = (row) => ({ x: row.ms, y: row.usd, row });
    const scale = (title, key, unit) => {
      const values = rows.map((row) => row[key]), least = Math.min(...values), most = Math.max(...values);
      const tick = (value) => unit + digits(value, 2);
      if (!(least > 0 && most / least > 6))
        return axis(title, { beginAtZero: true, grace: "10%", ticks: { color: colour("--text"), maxTicksLimit: 7, callback: tick } });
      return axis(title, {
        type: "logarithmic", min: least / 1.25, max: most * 1.25,
        ticks: { color: colour("--text"), autoSkip: false, callback: tick },
        afterBuildTicks: (made) => { made.ticks = decades(made.min, made.max); },
      });
    };
    draw(canvasIn(place, 420, "Scatter chart of cost against time, " + rows.length +
      " rows; the table of all GPUs holds the numbers."), {
      type: "scatter",
      data: {
        datasets: [
          { label: "front: none is both faster and cheaper", data: front.map(point), showLine: true, stepped: "after",
            borderColor: colour("--front"), backgroundColor: colour("--front"), borderWidth: 1.5, pointRadius: 5, pointHoverRadius: 7 },
          { label: front.length ? "others" : "GPUs", data: others.map(point), borderColor: colour("--mark"), backgroundColor: colour("--bar"),
            pointRadius: 4, pointHoverRadius: 6 },
        ].filter((set) => set.data.length),
      },
      options: {
        ...base, layout: { padding: { right: 12 } },
        scales: { x: scale("ms of one " + data.unit, "ms", ""), y: scale("$ for " + data.usd, "usd", "$") },
        plugins: {
          legend: { labels: { color: colour("--text"), boxWidth: 14 } },
          tooltip: { callbacks: { label: (item) => item.raw.row.name + ": " + ms(item.raw.x) + ", " + dollars(item.raw.y) +
            (item.raw.row.room && ", " + item.raw.row.room) } },
        },
      },
      plugins: [namesBeside(0, named.map((row) => row.name))],
    });
  };

  /* 1, 2 and 5 of each power of ten; of many powers only the 1. */
  const decades = (least, most) => {
    const found = [];
    const steps = Math.log10(most / least) > 2.5 ? [1] : [1, 2, 5];
    for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); power++)
      for (const step of steps) {
        const value = Number((step * 10 ** power).toPrecision(1));
        if (value >= least && value <= most) found.push({ value });
      }
    return found;
  };

  const drawAll = () => {
    charts.forEach((chart) => chart.destroy());
    charts = [];
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    if (data.times.length) drawTimes();
    data.breakdowns.forEach((part, index) => {
      const place = byId("breakdown-" + index);
      if (place && part.bars.length) drawBreakdown(part, place);
    });
    if (data.costs.length) drawCosts();
  };
  drawAll();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  /* Heads that a browser repeats on every sheet are text there: it leaves buttons out. */
  const heads = [];
  const paper = (on) => () => {
    root.classList.toggle("paper", on);
    for (const { head, button } of heads) head.replaceChildren(on ? button.textContent : button);
    drawAll();
  };
  addEventListener("beforeprint", paper(true));
  addEventListener("afterprint", paper(false));

  /* ---- tables ---- */

  const valueOf = (row, column) => {
    const cell = row.cells[column];
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    const text = cell.textContent.trim();
    return text === "\u2013" || text === "" ? null : text;
  };
  /* Unknown last, whichever way. */
  const compare = (a, b, way) => {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === "number" && typeof b === "number") return way * (a - b);
    return way * String(a).localeCompare(String(b), "en", { numeric: true });
  };
  const sortBy = (table, head, column) => {
    const way = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({ row, key: valueOf(row, column) }));
    rows.sort((a, b) => compare(a.key, b.key, way));
    body.append(...rows.map((one) => one.row));
  };
  const makeSortable = (table) => {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.addEventListener("click", () => sortBy(table, head, column));
      head.replaceChildren(button);
      heads.push({ head, button });
      if (table.querySelector(`tbody td:nth-child(${column + 1}):is([data-v], .none)`)) head.classList.add("n");
    });
  };
  document.querySelectorAll("table.sortable").forEach(makeSortable);

  const form = byId("filter");
  const rows = [...byId("gpu-table").tBodies[0].rows]
    .map((row) => ({ row, text: (row.textContent + " " + row.dataset.vendor).toLowerCase() }));
  const few = rows.length < 4;
  const filter = () => {
    const words = byId("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const vendor = byId("vendor").value;
    const every = few || byId("every").checked || words.length > 0 || vendor !== "";
    let count = 0;
    for (const { row, text } of rows) {
      const shown = (every || row.classList.contains("first")) &&
        words.every((word) => text.includes(word)) &&
        (vendor === "" || row.dataset.vendor === vendor) &&
        (!byId("fits").checked || row.dataset.fits === "1") &&
        (!byId("priced").checked || row.dataset.priced === "1");
      row.hidden = !shown;
      count += shown;
    }
    byId("count").textContent = count + " of " + rows.length + " rows";
  };
  form.hidden = few;
  /* What would change nothing is not asked. */
  const ask = (name, asked) => { byId(name).parentElement.hidden = !asked; };
  ask("fits", rows.some(({ row }) => row.dataset.fits === "1"));
  ask("priced", rows.some(({ row }) => row.dataset.priced === "1"));
  ask("every", rows.some(({ row }) => !row.classList.contains("first")));
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();
})();
