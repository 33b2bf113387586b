// The first page's three choices. Every answer is made by analysis/site/choose/chooser.py; this shows one of them. The
// choices are the address' fragment, so that a view can be shared, printed and opened again.
"use strict";

const known = JSON.parse(document.getElementById("choices").textContent);
const chosen = document.querySelector("form.chooser");

function link(address, text) {
  const made = document.createElement("a");
  made.href = address;
  made.textContent = text;
  return made;
}

function item(codec, row) {
  const made = document.createElement("li"), format = document.createElement("span");
  format.className = "format";
  format.textContent = row.format;
  made.append(link(row.page, codec), " ", format, ` ${row.words}`);
  return made;
}

function tableRow(codec, row) {
  const made = document.createElement("tr"), head = document.createElement("th");
  head.scope = "row";
  head.append(link(row.page, codec));
  made.append(head);
  row.cells.forEach((text, place) => {
    const cell = made.insertCell();
    if (place < 2) cell.className = "right";
    cell.append(place === 5 && row.specification ? link(row.specification, text) : text);
  });
  return made;
}

function pointRow([codec, format, , , best, time, size]) {
  const made = document.createElement("tr"), head = document.createElement("th");
  head.scope = "row";
  head.textContent = codec;
  made.append(head);
  [format, time, size, known.front[best ? 0 : 1]].forEach((text, place) => {
    const cell = made.insertCell();
    if (place === 1 || place === 2) cell.className = "right";
    cell.textContent = text;
  });
  return made;
}

function showAnswer() {
  const { language, matters, message } = Object.fromEntries(new FormData(chosen));
  const view = known.views[`${message} ${language}`];
  const answer = view?.answers[matters];
  const say = (id, text) => { document.getElementById(id).textContent = text; };
  const asked = document.getElementById("choose-asked");
  const title = view?.title ?? chosen.elements.message.selectedOptions[0].text;
  asked.replaceChildren("For ", view ? link(view.page, title) : title, `, ${known.languages[language]}, by ${matters}:`);
  say("choose-said", answer?.said ?? `No codec in ${known.languages[language]} has times of these messages; choose another language or kind, or see the sizes on the scenario's page.`);
  say("choose-run", view?.run ?? "none");
  const codecs = answer?.codecs ?? [];
  document.getElementById("choose-list").replaceChildren(...codecs.map((codec) => item(codec, view.codecs[codec])));
  document.querySelector("#choose-table tbody").replaceChildren(...codecs.map((codec) => tableRow(codec, view.codecs[codec])));
  const points = view?.points ?? [];
  document.querySelector("#choose-all tbody").replaceChildren(...points.map(pointRow));
  say("choose-all-count", `All ${points.length} codecs of the chart`);
  say("choose-chart-says", view?.chart ?? "");
  const held = document.getElementById("choose-chart");
  const rows = points.map(([codec, format, size_bytes, total_ns, best]) => (
    { codec, format, size_bytes, total_ns, kind: known.front[best ? 0 : 1], label: best ? codec : "" }));
  const { spec } = JSON.parse(held.textContent);
  held.textContent = JSON.stringify({ spec, rows });
  const chart = document.querySelector("#choose .chart");
  chart.hidden = rows.length === 0;
  chart.setAttribute("aria-label", view?.chart ?? "");
  if (rows.length) draw(chart);
}

function fromAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (![...chosen.elements].some((field) => given.has(field.name))) return false; // a section's address
  for (const [name, value] of Object.entries({ ...known.default, ...Object.fromEntries(given) })) {
    const field = chosen.elements[name];
    if (field && [...field.options].some((option) => option.value === value)) field.value = value;
  }
  return true;
}

chosen.hidden = false;
chosen.addEventListener("input", () => {
  history.replaceState(null, "", `${location.pathname}${location.search}#${new URLSearchParams(new FormData(chosen))}`);
  showAnswer();
});
chosen.addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", () => { if (fromAddress()) showAnswer(); });
if (fromAddress()) showAnswer();
