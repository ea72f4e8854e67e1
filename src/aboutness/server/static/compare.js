// The comparing page: what the server drew is made live. Every choice is an address; its page is fetched, and the
// parts that have changed take the place of the old ones, so that nothing is drawn twice in two languages.
import { el, status } from "./common.js";

let asking = null;
let shownAt = location.pathname + location.search;

function state() {
  return document.getElementById("compare-state");
}

/** Show another address: fetch its page, and put its parts (ids) into this one. */
async function go(address, parts, { push = true, focus = null } = {}) {
  asking?.abort();
  asking = new AbortController();
  const { signal } = asking;
  const whole = document.getElementById("compare");
  whole.setAttribute("aria-busy", "true");
  const slow = setTimeout(() => status(state(), "loading", "Reading the results…"), 250);
  try {
    const response = await fetch(address, { signal });
    const made = new DOMParser().parseFromString(await response.text(), "text/html");
    if (response.redirected || parts.some((id) => !made.getElementById(id))) {
      location.assign(address);
      return;
    }
    const open = new Set([...document.querySelectorAll("details[id][open]")].map((one) => one.id));
    for (const id of parts) {
      const part = document.adoptNode(made.getElementById(id));
      document.getElementById(id).replaceWith(part);
      for (const one of part.querySelectorAll("details[id]")) one.open ||= open.has(one.id);
      enliven(part);
    }
    if (push) history.pushState(null, "", address);
    shownAt = location.pathname + location.search;
    document.getElementById(focus)?.focus({ preventScroll: true });
    if (state()) status(state(), "ok");
  } catch (error) {
    if (error.name === "AbortError") return;
    status(state(), "error", "The server does not answer. Is it still running?");
  } finally {
    clearTimeout(slow);
    if (!signal.aborted) document.getElementById("compare").removeAttribute("aria-busy");
  }
}

/** Forms are sent as soon as something is chosen. */
function liveForm(form) {
  const send = (event) => {
    event.preventDefault();
    const alone = event.target.dataset?.alone !== undefined;
    const now = new URLSearchParams(location.search);
    const query = alone ? new URLSearchParams(now.has("index") ? { index: now.get("index") } : {}) : now;
    for (const choice of alone ? [event.target] : form.querySelectorAll("select")) query.set(choice.name, choice.value);
    go(`/compare?${query}`, form.dataset.live.split(" "), { focus: event.target.id });
  };
  form.addEventListener("change", send);
  form.addEventListener("submit", send);
}

function liveLink(link) {
  link.addEventListener("click", async (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    const address = link.getAttribute("href");
    const target = address.split("#")[1];
    const keep = link.id;
    await go(address.split("#")[0], link.dataset.swap.split(" "), { focus: keep || target });
    if (target && !keep) document.getElementById(target)?.scrollIntoView({ block: "nearest" });
  });
}

function valueOf(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.value ?? cell.textContent.trim();
  const number = Number(text);
  return text !== "" && Number.isFinite(number) ? number : text;
}

function compare(one, other) {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one).localeCompare(String(other), undefined, { numeric: true });
}

/** Columns are sorted by a button in their heads: first the way that is most often wanted, then the other one. */
function sortable(table) {
  const body = table.tBodies[0];
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const sort = () => {
      const first = head.dataset.falls !== undefined ? "descending" : "ascending";
      const second = first === "ascending" ? "descending" : "ascending";
      const way = head.getAttribute("aria-sort") === first ? second : first;
      for (const one of table.tHead.rows[0].cells) one.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", way);
      const sign = way === "ascending" ? 1 : -1;
      const rows = [...body.rows].sort((a, b) => sign * compare(valueOf(a, column), valueOf(b, column)));
      body.append(...rows);
    };
    head.replaceChildren(el("button", { type: "button", class: "sort", on: { click: sort } }, ...head.childNodes));
  });
}

/** Along the curves, by pointer or arrow keys: a line at a point of recall, and the values there. */
function readableCurves(chart) {
  const places = chart.dataset.places.split(" ").map(Number);
  const cross = document.getElementById("curves-cross");
  const readout = document.getElementById("curves-readout");
  const rows = document.getElementById("curves-table").tBodies[0].rows;
  const items = [...document.getElementById("curves-legend").children];
  let at = null;
  const show = (place) => {
    at = Math.max(0, Math.min(places.length - 1, place));
    cross.setAttribute("x1", places[at]);
    cross.setAttribute("x2", places[at]);
    cross.setAttribute("visibility", "visible");
    const values = [...rows[at].querySelectorAll("[data-drawn]")].map((cell) => cell.textContent);
    items.forEach((item, number) => {
      item.querySelector(".value")?.remove();
      item.append(el("span", { class: "value" }, values[number]));
    });
    readout.hidden = false;
    const told = items.map((item, number) => `${item.querySelector(".letter").textContent} ${values[number]}`);
    readout.replaceChildren(
      `Precision at recall ${rows[at].cells[0].textContent}`,
      el("span", { class: "visually-hidden" }, `: ${told.join(", ")}`), // the legend shows them
    );
  };
  chart.addEventListener("pointermove", (event) => {
    const box = chart.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * chart.viewBox.baseVal.width;
    const nearest = places.reduce((best, place, i) => (Math.abs(place - x) < Math.abs(places[best] - x) ? i : best), 0);
    if (nearest !== at) show(nearest);
  });
  chart.addEventListener("focus", () => show(at ?? 0));
  chart.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -places.length, End: places.length }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    show((at ?? 0) + step);
  });
}

/** Bars: the arrow keys go from one to the next, and the one under pointer or focus is told in words. */
function readableBars(chart) {
  const bars = [...chart.querySelectorAll("a.bar")];
  const readout = document.getElementById("bars-readout");
  const current = bars.find((bar) => bar.hasAttribute("aria-current"));
  const tell = (bar) => { readout.textContent = bar ? bar.dataset.text : "\u00a0"; };
  tell(current);
  bars.forEach((bar, place) => {
    bar.addEventListener("pointerenter", () => tell(bar));
    bar.addEventListener("focus", () => tell(bar));
    bar.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1, Home: -bars.length, End: bars.length }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      const next = bars[Math.max(0, Math.min(bars.length - 1, place + step))];
      bar.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    });
  });
  chart.addEventListener("pointerleave", () => tell(current));
  if (current && chart.parentElement.scrollWidth > chart.parentElement.clientWidth) {
    const share = bars.indexOf(current) / bars.length;
    chart.parentElement.scrollLeft = share * chart.parentElement.scrollWidth - chart.parentElement.clientWidth / 2;
  }
}

/** A document under the pointer is shown in both rankings, with the line between. */
function litPairs(sides) {
  const light = (pair, on) => {
    for (const one of sides.querySelectorAll(`[data-pair="${pair}"]`)) one.classList.toggle("lit", on);
  };
  for (const one of sides.querySelectorAll("[data-pair]")) {
    one.addEventListener("pointerenter", () => light(one.dataset.pair, true));
    one.addEventListener("pointerleave", () => light(one.dataset.pair, false));
  }
}

function enliven(part) {
  const every = (selector, make) => [...part.querySelectorAll(selector)].forEach(make);
  every("form[data-live]", liveForm);
  every("a[data-swap]", liveLink);
  every("table[data-sortable]", sortable);
  every("#curves", readableCurves);
  every("#bars", readableBars);
  every(".sides", litPairs);
}

addEventListener("popstate", () => {
  const address = location.pathname + location.search;
  if (address !== shownAt) go(address, ["compare"], { push: false }); // else only the place in the page has changed
});
enliven(document);
