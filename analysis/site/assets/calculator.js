// The calculator: the formula that the page shows, over measured messages. analysis/site/calculator.py has the same one.
"use strict";

const held = JSON.parse(document.getElementById("messages")?.textContent ?? "null");

function answer(message, needs) {
  const busy = message.busy_ns / 1e9;
  const send = message.size_bytes * 8 / (needs.network * 1e6);
  const cores = needs.rate * busy;
  const sentAMonth = needs.rate * message.size_bytes * held.hours * 3600;
  return {
    message, cores, time: busy + send, network: needs.rate * send, rate: Math.min(needs.cores / busy, 1 / send),
    cost: cores * held.hours * needs.core_hour + sentAMonth / 1e9 * needs.gigabyte,
  };
}

function name(message) {
  return message.compression ? `${message.codec} + ${message.compression}` : message.codec;
}

function significant(value) {
  return Number(value.toPrecision(3)).toLocaleString("en", { maximumSignificantDigits: 3 });
}

function duration(seconds) {
  for (const [unit, factor] of [["s", 1], ["ms", 1e-3], ["µs", 1e-6]]) if (seconds >= factor) return `${significant(seconds / factor)} ${unit}`;
  return `${significant(seconds * 1e9)} ns`;
}

function show(form) {
  const needs = Object.fromEntries(["rate", "network", "cores", "core_hour", "gigabyte"].map((name) => [name, form.elements[name].valueAsNumber]));
  if (!form.checkValidity() || Object.values(needs).some(Number.isNaN)) {
    document.getElementById("said").textContent = "Give every field a number of 0 or more; network and cores above 0.";
    document.querySelector("#answers tbody").replaceChildren();
    return;
  }
  const { goal, message } = Object.fromEntries(new FormData(form));
  const scenario = held.scenarios[message];
  const answers = scenario.messages.map((one) => answer(one, needs));
  answers.sort((a, b) => goal === "rate" ? b.rate - a.rate : a[goal] - b[goal]);
  const body = document.querySelector("#answers tbody");
  body.replaceChildren(...answers.map((found) => {
    const row = document.createElement("tr"), head = document.createElement("th"), link = document.createElement("a");
    link.href = found.message.page;
    link.textContent = name(found.message);
    head.scope = "row";
    head.append(link);
    row.append(head);
    const percent = `${significant(found.network * 100)} %${found.network > 1 ? ", too much" : ""}`;
    const cores = significant(found.cores) + (found.cores > needs.cores ? ", too many" : "");
    for (const text of [duration(found.time), `${found.message.size_bytes} B`, cores, percent, significant(found.rate), found.cost.toFixed(2)]) {
      const cell = row.insertCell();
      cell.className = "right";
      cell.textContent = text;
    }
    return row;
  }));
  const first = answers.find((found) => found.cores <= needs.cores && found.network <= 1);
  const quick = scenario.quick ? " A quick run: its numbers mean nothing." : "";
  document.getElementById("said").textContent = (first ? `First that keeps up: ${name(first.message)}.` : "No codec keeps up with this rate.") + ` Run ${scenario.run}, ${scenario.conditions}.${quick}`;
}

const given = document.querySelector("form.calculator");
if (given) {
  const query = new URLSearchParams(location.search);
  for (const field of given.elements) {
    const value = query.get(field.name);
    const known = field.options ? [...field.options].some((option) => option.value === value) : value !== null;
    if (known) field.value = value; // an old link may name a message that is measured no more
  }
  given.addEventListener("input", () => {
    history.replaceState(null, "", location.pathname + "?" + new URLSearchParams(new FormData(given)) + location.hash);
    show(given);
  });
  given.addEventListener("submit", (event) => event.preventDefault());
  show(given);
}
