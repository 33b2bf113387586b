// What a page can do beside being read: charts, rows by filter, rows by order. The state of
// filters and order is the address' query, so that a view can be shared; without scripts every table is there whole.
"use strict";

const query = new URLSearchParams(location.search);
const colourScheme = matchMedia("(prefers-color-scheme: dark)");

function remember() {
  const text = query.toString();
  history.replaceState(null, "", location.pathname + (text ? "?" + text : "") + location.hash);
}

// Filters: `q` is searched in the row's text, every other field is held against the row's data attribute of that name.

function takes(tags, text) {
  for (const [name, value] of query) {
    if (name === "q") {
      if (!value.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word))) return false;
    } else if (!name.startsWith("sort-") && tags[name] !== undefined && tags[name] !== value) return false;
  }
  return true;
}

function filterable(row) {
  return !row.classList.contains("section");
}

function applyFilters(form) {
  let shown = 0, all = 0;
  for (const body of document.querySelectorAll("main tbody")) {
    let left = 0;
    for (const row of body.rows) {
      if (!filterable(row)) continue;
      row.hidden = !takes(row.dataset, row.textContent);
      left += !row.hidden;
      all += 1;
    }
    shown += left;
    for (const row of body.rows) if (!filterable(row)) row.hidden = left === 0;
  }
  if (query.size) document.querySelectorAll("details.folded").forEach((one) => one.setAttribute("open", ""));
  form.elements.shown.value = shown === all ? `${all} rows` : `${shown} of ${all} rows`;
  document.querySelectorAll(".chart.drawn").forEach(draw);
}

function prepareFilters(form) {
  for (const select of form.querySelectorAll("select")) {
    const values = new Set([...document.querySelectorAll(`tr[data-${select.name}]`)].map((row) => row.dataset[select.name]));
    for (const value of [...values].sort()) select.append(new Option(value, value));
  }
  for (const field of form.querySelectorAll("input, select")) field.value = query.get(field.name) ?? "";
  form.addEventListener("input", (event) => {
    const { name, value } = event.target;
    if (value) query.set(name, value); else query.delete(name);
    remember();
    applyFilters(form);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => {
    for (const field of form.querySelectorAll("input, select")) query.delete(field.name);
    remember();
    setTimeout(() => applyFilters(form));
  });
  form.hidden = false;
  applyFilters(form);
}

// Order: by the number that a cell begins with, in whatever unit it has; else by its text.

const UNITS = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

function sortKey(row, column) {
  const text = row.cells[column]?.innerText.trim() ?? "";
  if (/^\d{4}-\d\d-\d\d/.test(text)) return [1, text]; // a date
  const found = text.match(/^[×[]?\s*(-?[\d,]*\.?\d+)\s*(ns|µs|ms|s|KiB|MiB|GiB)?(?![\w/])/);
  return found ? [0, parseFloat(found[1].replaceAll(",", "")) * (UNITS[found[2]] ?? 1)] : [/^[–]?$/.test(text) ? 2 : 1, text];
}

function order(table, column, direction) {
  const sign = direction === "descending" ? -1 : 1;
  for (const body of table.tBodies) {
    const rows = [...body.rows].filter(filterable).map((row) => [sortKey(row, column), row]);
    rows.sort(([a], [b]) => a[0] - b[0] || sign * (a[0] === 0 ? a[1] - b[1] : a[1].localeCompare(b[1])));
    body.append(...rows.map(([, row]) => row));
  }
  [...table.tHead.rows[0].cells].forEach((cell, place) => {
    if (place === column) cell.setAttribute("aria-sort", direction); else cell.removeAttribute("aria-sort");
  });
}

function prepareOrder(table) {
  const name = "sort-" + table.id.replace(/-table$/, "");
  [...table.tHead.rows[0].cells].forEach((cell, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...cell.childNodes);
    cell.append(button);
    button.addEventListener("click", () => {
      const direction = cell.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
      query.set(name, `${column}-${direction}`);
      remember();
      order(table, column, direction);
    });
  });
  const [column, direction] = (query.get(name) ?? "").split("-");
  if (table.tHead.rows[0].cells[column] && ["ascending", "descending"].includes(direction)) order(table, Number(column), direction);
}

// Charts: Vega is loaded once; charts are drawn one after the other, in view or not, so that prints have all of them.

let vega, drawing = Promise.resolve();

function loadVega() {
  vega ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "assets/vega.js";
    script.onload = resolve;
    script.onerror = () => reject(new Error("assets/vega.js could not be loaded"));
    document.head.append(script);
  });
  return vega;
}

function theme() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const text = colour("text"), faint = colour("faint"), line = colour("line"), series = colour("series").split(/\s+/);
  return {
    background: "transparent", font: "system-ui, sans-serif", view: { stroke: line }, range: { category: series },
    axis: { labelColor: text, titleColor: faint, gridColor: line, domainColor: line, tickColor: line, labelLimit: 220, labelFontSize: 12, titleFontWeight: "normal" },
    legend: { labelColor: text, titleColor: faint, labelFontSize: 12, symbolOpacity: 1 },
    mark: { color: series[0] }, rule: { color: faint }, text: { color: text }, line: { color: faint },
  };
}

function draw(chart) {
  drawing = drawing.then(() => drawNow(chart)).catch((error) => console.error(error));
}

async function drawNow(chart) {
  const { spec, rows } = JSON.parse(document.getElementById(chart.dataset.chart).textContent);
  const chosen = rows.filter((row) => takes(row, Object.values(row).join(" ")));
  if (spec.usermeta) spec.height = spec.usermeta.pixels * Math.max(1, new Set(chosen.map((row) => row[spec.usermeta.field])).size);
  const narrow = chart.clientWidth < 500;
  const config = theme();
  if (narrow) config.axis.labelLimit = 120;
  const says = chart.getAttribute("aria-label");
  chart.classList.add("drawn");
  await loadVega();
  await window.vegaEmbed(chart, { ...spec, datasets: { ...spec.datasets, rows: chosen } }, { actions: false, renderer: "svg", logLevel: 1, config });
  chart.setAttribute("role", "img"); // of which Vega makes a document that it calls a visualization
  chart.setAttribute("aria-label", says);
  chart.removeAttribute("aria-roledescription");
  for (const svg of chart.querySelectorAll("svg")) svg.setAttribute("aria-hidden", "true"); // the figure says what it shows
}

document.querySelectorAll("main table").forEach((table) => {
  if (table.id !== "answers" && !table.closest("#choose")) prepareOrder(table); // those have an order of their own
});
document.querySelectorAll("form.filters").forEach(prepareFilters);
document.querySelectorAll(".chart").forEach(draw);
colourScheme.addEventListener("change", () => document.querySelectorAll(".chart.drawn").forEach(draw));

// The row that the address names: its evidence is opened, also where the address changes on this page.

function arrive() {
  const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  row?.closest("details.folded")?.setAttribute("open", "");
  row?.querySelector("details.evidence")?.setAttribute("open", "");
  row?.scrollIntoView();
}

addEventListener("hashchange", arrive);
if (location.hash) arrive();
