// The page Map: asks for the map, hands it to the view, and tells beside it what is seen.

import { ask, debounce, el, indexName, marked, number, setQuery, status, stepping, svg, withQuery } from "./common.js";
import { colouring, css } from "./map_colours.js";
import { MapView } from "./map_view.js";

const [form, state, side, frame, tip, card, note, legend, near] = [
  "map-form", "map-state", "map-side", "map-frame", "map-tip", "map-card", "map-note", "map-legend", "map-near",
].map((id) => document.getElementById(id));
const nearEmpty = document.getElementById("map-near-empty");
const field = form.elements;
const darkness = matchMedia("(prefers-color-scheme: dark)");
const LIVE = 250; // milliseconds after the last letter
const LATE = 250; // milliseconds after which it is told that an answer is waited for
const AGAIN = 1500; // milliseconds until a map that is being made is asked for again
const SLOW = "t-SNE is at work: a few thousand documents take some seconds, 20,000 a minute or two.";
const view = new MapView(document.getElementById("map"), told);
const step = stepping();
let drawn = null; // the map
let drawnFor = ""; // what was asked for, but for the query
let chosen = -1; // the document that is told about
let shownNear = -1; // which of the nearest the keyboard is at
let asking = new AbortController();

// --- asking ----------------------------------------------------------------------------------------------

function asked() {
  return {
    index: indexName(), ranker: field.ranker.value, method: field.method.value, most: field.most.value,
    query: field.q.value.trim(), colour: field.colour.value,
  };
}

function which() {
  return JSON.stringify({ ...asked(), query: null });
}

async function answered(parameters) {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  for (;;) {
    const answer = await ask(withQuery(parameters, "/v1/map"), { signal });
    if (!answer.making) return answer;
    status(state, "loading", parameters.method === "tsne" ? SLOW : "Still at work: the documents' vectors are being made.");
    await new Promise((resolve) => { setTimeout(resolve, AGAIN); });
    signal.throwIfAborted();
  }
}

async function drawAnew() {
  status(state, "loading", "Bringing documents into the plane …");
  frame.classList.add("busy");
  side.hidden = false; // so that nothing jumps when the documents come
  side.inert = drawn === null;
  try {
    const wanted = which();
    show(await answered(asked()));
    drawnFor = wanted;
  } catch (error) {
    if (error.name !== "AbortError") fail(error);
  } finally {
    frame.classList.toggle("busy", state.dataset.kind === "loading");
  }
}

/** A query changes marks and colours only: the places stay as they are. */
async function placeQuery() {
  if (!drawn || drawnFor !== which()) return drawAnew();
  const slow = setTimeout(() => status(state, "loading", "Looking for what is nearest …"), LATE);
  try {
    const { generation, query, relevance, nearest, note: noted } = await answered({ ...asked(), places: false });
    if (generation !== drawn.generation) return drawAnew(); // other documents
    Object.assign(drawn, { query, relevance, nearest, note: noted });
    status(state, "ok");
    showQuery();
  } catch (error) {
    if (error.name !== "AbortError") fail(error);
  } finally {
    clearTimeout(slow);
  }
  return undefined;
}

/** Return what the address is to say. */
function said() {
  const { index, query, ranker, method, most, colour } = asked();
  const several = document.querySelector("[data-choose-index]") !== null;
  const unless = (usual, value) => (value === usual ? null : value);
  return {
    index: several ? index : null, q: query, ranker: unless(field.ranker.options[0].value, ranker),
    method: unless("pca", method), most: unless("3000", most), colour: unless("relevance", colour),
  };
}

function fail(error) {
  const again = error.status === 0 && el("button", { type: "button", on: { click: drawAnew } }, "Try again");
  status(state, "error", el("span", { class: "text", dir: "auto" }, `${error.message} `), again || "");
  side.hidden = drawn === null;
}

// --- showing ---------------------------------------------------------------------------------------------

function show(answer) {
  drawn = answer;
  status(state, "ok");
  side.inert = false;
  choose(null);
  offerKeys(answer.keys);
  look();
  view.resize();
  view.marks.over = null;
  view.setPlaces(answer.x, answer.y);
  showQuery();
}

function showQuery() {
  shownNear = -1;
  choose(chosen < 0 ? null : pointOf(chosen), chosen); // with its new score
  view.setMarks({ query: drawn.query, near: drawn.nearest });
  note.textContent = `${drawn.note}.`;
  paint();
  nearEmpty.hidden = drawn.nearest.length > 0;
  nearEmpty.textContent = field.q.value.trim()
    ? "No word of the query has a vector here: try other words."
    : "Type a query: the documents nearest to it, of all that have a vector, are listed here and ringed on the map.";
  near.replaceChildren(...drawn.nearest.map((one) => el("li", {},
    el("a", {
      class: "text", dir: "auto", href: address(one.id),
      on: { focus: () => point(one), mouseenter: () => point(one), blur: unpoint, mouseleave: unpoint },
    }, marked(one.title || one.id, [])), el("span", { class: "score" }, number(one.score)))));
}

function point(one) {
  view.show(one.x, one.y);
  view.setMarks({ over: one });
}

function unpoint() {
  view.setMarks({ over: null });
}

function paint() {
  const colours = colouring(drawn, drawn.labels ? field.colour.value : "relevance", darkness.matches);
  view.only = null;
  view.setColours(colours.group, colours.colours);
  document.getElementById("map-legend-panel").hidden = false;
  const key = colours.kind === "labels" ? labelList(colours) : colours.kind === "relevance" ? scale(colours)
    : el("p", { class: "muted small" }, "Documents take colours when there is a query, or when you colour them by their metadata.");
  legend.replaceChildren(key, ...(drawn.query ? [markKey()] : []));
}

function markKey() {
  const mark = (path, name) => [
    svg("svg", { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: path })), name,
  ];
  return el("p", { class: "mark-key muted small" },
    el("span", {}, mark("M2 8h12M8 2v12", "the query")),
    el("span", {}, mark("M8 3a5 5 0 1 0 .01 0z", "one of the nearest")));
}

function swatch(colour) {
  return svg("svg", { width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true" },
    svg("circle", { cx: 7, cy: 7, r: 6, fill: css(colour) }));
}

function labelList({ entries, colours }) {
  const buttons = entries.map((entry) => el("button", {
    type: "button", "aria-pressed": "false", title: `Show only: ${entry.name}`,
    on: { click: (event) => {
      const on = event.currentTarget.getAttribute("aria-pressed") !== "true";
      for (const one of buttons) one.setAttribute("aria-pressed", String(on && one === event.currentTarget));
      view.highlight(on ? entry.group : null);
    } },
  }, swatch(colours[entry.group]),
  el("span", { class: entry.told ? "name muted" : "name text", dir: "auto" }, entry.name),
  el("span", { class: "count" }, entry.count.toLocaleString("en"))));
  return el("ul", { class: "legend" }, buttons.map((button) => el("li", {}, button)));
}

function scale({ colours, told: scores }) {
  return el("div", { class: "scale" },
    svg("svg", { viewBox: `0 0 ${colours.length} 1`, preserveAspectRatio: "none", "aria-hidden": "true" },
      colours.map((colour, at) => svg("rect", { x: at, width: 1.05, height: 1, fill: css(colour) }))),
    el("div", {}, scores.map((score) => el("span", {}, number(score)))),
    el("p", { class: "muted small" }, `Score by ${drawn.by}; the colours go by rank.`));
}

function offerKeys(keys) {
  const before = field.colour.value;
  const every = [...new Set([...keys, before])].filter((key) => key !== "relevance");
  field.colour.replaceChildren(el("option", { value: "relevance" }, "relevance"),
    ...every.map((key) => el("option", { value: key }, key)));
  field.colour.value = before;
}

function look() {
  const styles = getComputedStyle(document.documentElement);
  const read = (name) => styles.getPropertyValue(name).trim();
  const paper = read("--panel");
  view.setLook({
    paper: [1, 3, 5].map((at) => Number.parseInt(paper.slice(at, at + 2), 16)), ink: read("--ink"), accent: read("--accent"),
  });
}

// --- one document ----------------------------------------------------------------------------------------

/** Where one reads on: why the document has its score, or, without a query, what else is like it. */
function address(id) {
  const query = field.q.value.trim();
  const isRanker = field.ranker.selectedOptions[0]?.dataset.isRanker === "1";
  const index = document.querySelector("[data-choose-index]") ? indexName() : null;
  return query
    ? withQuery({ index, q: query, id, r: isRanker ? drawn.by : null }, "/explain")
    : withQuery({ index, like: id }, "/search");
}

function facts(i) {
  const label = drawn.labels && drawn.label[i] >= 0 ? drawn.labels[drawn.label[i]] ?? null : null;
  return [
    label === null ? null : `${field.colour.value}: ${label}`,
    drawn.relevance ? `score ${number(drawn.relevance[i])}` : null,
  ].filter((fact) => fact !== null);
}

function pointOf(i) {
  return { id: drawn.ids[i], title: drawn.titles[i], x: drawn.x[i], y: drawn.y[i], facts: facts(i) };
}

function told(what, i, at) {
  if (!drawn) return;
  if (what === "next") {
    if (!drawn.nearest.length) return;
    shownNear = (shownNear + 1) % drawn.nearest.length;
    const one = drawn.nearest[shownNear];
    point(one);
    choose({ ...one, facts: [`rank ${one.rank}`, `score ${number(one.score)}`] });
  } else if (what === "chosen") {
    if (i === null) card.querySelector("a")?.focus();
    else choose(i < 0 ? null : pointOf(i), i);
  } else {
    hover(i, at);
  }
}

function hover(i, at) {
  tip.hidden = i < 0;
  view.setMarks({ over: i < 0 ? null : pointOf(i) });
  if (i < 0) return;
  const one = pointOf(i);
  tip.replaceChildren(one.title || one.id, ...one.facts.map((fact) => el("span", { class: "text", dir: "auto" }, fact)));
  const [left, top] = at;
  const [wide, high] = [frame.clientWidth, frame.clientHeight];
  tip.style.left = `${Math.max(0, Math.min(left + 14, wide - tip.offsetWidth - 4))}px`;
  tip.style.top = `${top + 18 + tip.offsetHeight > high ? Math.max(0, top - tip.offsetHeight - 10) : top + 18}px`;
}

function choose(one, i = -1) {
  chosen = i;
  view.setMarks({ chosen: one });
  card.hidden = one === null;
  if (one === null) return;
  card.replaceChildren(
    el("strong", { class: "text", dir: "auto" }, one.title || one.id),
    el("span", { class: "muted small text", dir: "auto" }, one.id),
    ...one.facts.map((fact) => el("span", { class: "muted small text", dir: "auto" }, fact)),
    el("a", { href: address(one.id) }, field.q.value.trim() ? "Explain its score" : "Search for more like it"));
}

// --- what moves it ---------------------------------------------------------------------------------------

function typed() {
  if (withQuery(said()) === location.pathname + location.search) return; // it is there already
  step.follow(said());
  placeQuery();
}

function done(draw) {
  step.follow(said());
  step.done();
  draw();
}

form.addEventListener("submit", (event) => { event.preventDefault(); done(placeQuery); });
field.q.addEventListener("input", debounce(typed, LIVE));
field.q.addEventListener("change", () => { typed(); step.done(); });
for (const name of ["ranker", "colour", "most"]) field[name].addEventListener("change", () => done(drawAnew));
for (const radio of field.method) radio.addEventListener("change", () => done(drawAnew));
addEventListener("popstate", () => {
  if (withQuery(said()) === location.pathname + location.search) return; // only the fragment is another
  const asks = new URLSearchParams(location.search);
  field.q.value = asks.get("q") ?? "";
  field.ranker.value = asks.get("ranker") ?? field.ranker.options[0].value;
  field.method.value = asks.get("method") ?? "pca";
  field.most.value = asks.get("most") ?? "3000";
  field.colour.value = asks.get("colour") ?? "relevance";
  step.done();
  placeQuery();
});
document.getElementById("map-in").addEventListener("click", () => view.zoom(1.5));
document.getElementById("map-out").addEventListener("click", () => view.zoom(1 / 1.5));
document.getElementById("map-all").addEventListener("click", () => view.fit());
darkness.addEventListener("change", () => { if (drawn) { look(); paint(); } });
setQuery(said());
drawAnew();
