// The search page, live: what is asked, the address that says it, and one request at a time whose answer is shown.

import { ask, el, indexName, pageData, setQuery, status, withQuery } from "./common.js";
import { Column } from "./search_column.js";
import { Filters, Fields } from "./search_options.js";
import { drawMoves, followDocuments } from "./search_moves.js";

const TYPING = 150; // milliseconds without a key before a query is searched for
const WRITING = 400; // the same for a ranker, which means nothing while it is half written
const SLOW = 250; // milliseconds before it is said that one has to wait
const PAUSE = 600; // milliseconds without a letter, after which one looks up
const REST = 2000; // milliseconds after which a change is a new step for the back button

const here = Object.fromEntries(
  ["search", "q", "like", "options", "match", "k", "state", "told", "incomplete", "hints", "columns", "add-column", "legend", "start"].map(
    (id) => [id, document.getElementById(id)],
  ),
);
const data = pageData();
const asked = { like: data.answer.like };
const filters = new Filters(data.where, () => soon("filters", 0));
const fields = new Fields(data.filter_fields, data.fields, () => soon("fields", 0));
let columns = [];

// --- what is asked, as an address -------------------------------------------------------------------------------

function parameters(other = {}) {
  const rankers = columns.map((column) => column.text);
  return {
    index: data.several ? indexName() : null,
    q: here.q.value,
    like: asked.like,
    r: rankers.length === 1 && rankers[0] === "default" ? null : rankers,
    k: hits() === 10 ? null : hits(),
    match: here.match.value === "or" ? null : here.match.value,
    where: filters.list,
    fields: fields.text,
    ...other,
  };
}

/** Return how many hits are asked for: what is allowed, whatever is written there. */
function hits() {
  return Math.min(Math.max(1, Math.trunc(Number(here.k.value)) || 10), Number(here.k.max));
}

const links = {
  get explains() {
    return !asked.like; // a likeness has no words to explain it by
  },
  why(id, ranker) {
    const { index, q } = parameters();
    return asked.like ? links.like(id) : withQuery({ index, q, id, r: ranker }, "/explain");
  },
  like: (id) => withQuery(parameters({ q: null, like: id }), "/search"),
  search: (other) => withQuery(parameters(other), "/search"),
  go: (other) => go(new URLSearchParams(withQuery(parameters(other), "").slice(1))),
};

/** Ask what an address says. */
function go(query, push = true) {
  here.q.value = query.get("q") ?? "";
  asked.like = query.get("like") ?? "";
  here.k.value = query.get("k") ?? "10";
  choose(here.match, query.get("match") ?? "or");
  filters.set(query.getAll("where"));
  fields.set(query.get("fields") ?? "");
  const rankers = query.getAll("r");
  setColumns(rankers.length ? rankers.slice(0, data.most) : ["default"]);
  showLike();
  soon(push ? "link" : "back", 0);
}

function choose(select, value) {
  if (![...select.options].some((option) => option.value === value)) select.append(el("option", { value }, value));
  select.value = value;
}

// --- asking -----------------------------------------------------------------------------------------------------

let request = null; // the one under way
let timer = null;
let again = false; // a number was moved while a request was under way
let edited = { what: null, at: 0 };
let hinting = null;
let step = false; // the next answer is a new step for the back button

/** Search once nothing has changed for some milliseconds; an answer that is under way is not wanted any more. */
function soon(what, milliseconds) {
  const now = Date.now();
  const typed = what.startsWith("type");
  step ||= what !== "back" && (!typed || edited.what !== what || now - edited.at > REST);
  edited = { what, at: now };
  request?.abort();
  request = null;
  clearTimeout(timer);
  timer = setTimeout(search, milliseconds);
}

/** Search as soon as the answer that is under way is there: so a slider shows something while it is moved. */
function moved() {
  step ||= edited.what !== "slider" || Date.now() - edited.at > REST;
  edited = { what: "slider", at: Date.now() };
  if (request) again = true;
  else search();
}

async function search() {
  const mine = (request = new AbortController());
  const settings = columns.map((column) => [...column.moved]);
  const slow = setTimeout(() => status(here.state, "loading", "Searching…"), SLOW);
  here.columns.setAttribute("aria-busy", "true");
  try {
    const given = parameters({
      r: columns.map((column) => column.text.trim() || " "), // an empty one is answered with what it could be
      set: settings.flatMap((some, number) => some.map(([path, value]) => `${number}:${path}:${value}`)),
    });
    const answer = await ask(withQuery(given, "/v1/search/columns"), { signal: mine.signal });
    if (mine !== request) return;
    if (typeof answer === "string") return location.reload(); // the form for the key
    columns.forEach((column, number) => column.answered(settings[number]));
    show(answer);
    if (setQuery(parameters(), { push: step })) step = false; // else what is moved meanwhile will be the step
  } catch (error) {
    if (mine !== request || error.name === "AbortError") return;
    const retry = el("button", { type: "button", on: { click: () => soon("again", 0) } }, "Try again");
    status(here.state, "error", `${error.message} `, retry);
  } finally {
    clearTimeout(slow);
    if (mine === request) {
      request = null;
      here.columns.removeAttribute("aria-busy");
      if (again) {
        again = false;
        search();
      }
    }
  }
}

// --- showing ----------------------------------------------------------------------------------------------------

function show(answer) {
  const nothing = !answer.query.trim() && !answer.like;
  const wrong = Object.keys(answer.problems);
  const empty = answer.documents ? null : data.folder;
  for (const name of ["where", "match", "fields"]) {
    document.getElementById(`problem-${name}`).textContent = answer.problems[name] ?? "";
  }
  const told = wrong.filter((name) => !["where", "match", "fields"].includes(name));
  if (told.length) status(here.state, "error", told.map((name) => answer.problems[name]).join("; "));
  else status(here.state, "ok");
  answer.columns.forEach((column, number) => {
    columns[number].show(column, { links, first: number === 0, nothing: nothing || wrong.length > 0, asked: parameters(), empty });
  });
  here.start.hidden = !nothing;
  here.legend.hidden = columns.length === 1 || answer.columns.every((one) => !one.hits.length);
  here.incomplete.textContent = answer.incomplete ?? "";
  here.incomplete.hidden = !answer.incomplete;
  showHints(answer.hints);
  drawMoves(here.columns);
  here.told.textContent = nothing
    ? ""
    : answer.columns.map((one) => `${one.ranker}: ${one.problem ?? `${one.hits.length} hit${one.hits.length === 1 ? "" : "s"}`}`).join("; ");
}

/** Show what helps on where words are not known: at once where they are, else when typing rests, so that hits stay in place. */
function showHints(hints) {
  clearTimeout(hinting);
  const some = hints.unknown.length || hints.where;
  const typing = edited.what?.startsWith("type") && Date.now() - edited.at < PAUSE;
  if (some && typing) hinting = setTimeout(() => placeHints(hints), PAUSE);
  else placeHints(hints);
}

function placeHints({ unknown, respelt, where }) {
  const words = unknown.flatMap((word, at) => [at ? ", " : "", el("bdi", { class: "text mono" }, word)]);
  const meant = respelt && [
    " Did you mean ",
    link({ q: respelt }, el("bdi", { class: "text" }, respelt)),
    "?",
  ];
  here.hints.replaceChildren(
    ...(unknown.length ? [el("p", { class: "hint" }, "No document has ", words, ".", meant)] : []),
    ...(where ? [el("p", { class: "hint" }, where)] : []),
  );
}

function showLike() {
  here.like.hidden = !asked.like;
  const remove = link({ like: null }, "×");
  remove.className = "remove";
  remove.setAttribute("aria-label", "Do not search by this document");
  here.like.replaceChildren("Documents like ", el("span", { class: "chip" }, el("bdi", { class: "text mono" }, asked.like), remove));
}

/** Return a link to the search with something changed, which is followed without a new page. */
function link(other, ...content) {
  const follow = (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    links.go(other);
  };
  return el("a", { href: links.search(other), on: { click: follow } }, content);
}

function setColumns(texts) {
  columns = texts.map((text, number) => new Column(number, text, { written, moved, removed }));
  here.columns.dataset.columns = columns.length;
  here.columns.replaceChildren(...columns.map((column) => column.node));
  for (const column of columns) column.alone(columns.length === 1);
  here["add-column"].hidden = columns.length >= data.most;
  here.legend.hidden = true; // until there are hits
}

function written(committed) {
  soon("type ranker", committed ? 0 : WRITING);
}

function removed(column) {
  setColumns(columns.filter((one) => one !== column).map((one) => one.text));
  here["add-column"].focus();
  soon("columns", 0);
}

/** Return a ranker that is not there yet, to begin with. */
function another() {
  const known = [...document.querySelectorAll("#rankers option")].map((option) => option.value);
  const there = new Set(columns.map((column) => column.text));
  return ["bm25", "iwcs", "ql", "tfidf", ...known].find((name) => known.includes(name) && !there.has(name)) ?? "bm25";
}

// --- what the reader does ---------------------------------------------------------------------------------------

here.q.addEventListener("input", () => {
  asked.like = "";
  showLike();
  soon("type query", TYPING);
});
here.search.addEventListener("submit", (event) => {
  event.preventDefault();
  filters.take();
  soon("form", 0);
});
here.match.addEventListener("change", () => soon("match", 0));
here.k.addEventListener("input", () => here.k.checkValidity() && here.k.value && soon("type k", TYPING));
here.k.addEventListener("change", () => {
  here.k.value = hits();
  soon("type k", 0);
});
here["add-column"].addEventListener("click", (event) => {
  event.preventDefault();
  setColumns([...columns.map((column) => column.text), another()]);
  columns.at(-1).focus();
  soon("columns", 0);
});
here.start.addEventListener("click", (event) => {
  const query = event.target.closest("a[data-query]")?.dataset.query;
  if (query === undefined || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  links.go({ q: query });
});
addEventListener("popstate", () => {
  if (withQuery(parameters()) !== location.pathname + location.search) go(new URLSearchParams(location.search), false);
});

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
  const { target, key } = event;
  if (key === "/" && !target.closest("input, textarea, select")) {
    here.q.focus();
    here.q.select();
  } else if (target === here.q && key === "ArrowDown") {
    columns[0].hits[0]?.focus();
  } else if (target.closest(".hit") && key.startsWith("Arrow")) {
    const at = columns.findIndex((column) => column.node.contains(target));
    (columns[at].next(target, key, columns[at + { ArrowLeft: -1, ArrowRight: 1 }[key]]) ?? here.q).focus();
  } else {
    return;
  }
  event.preventDefault();
});

if (matchMedia("(min-width: 60rem)").matches) here.options.open = true;
setColumns(data.answer.columns.map((column) => column.ranker));
show(data.answer);
if (asked.like) showLike();
followDocuments(here.columns);
