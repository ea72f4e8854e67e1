// Judging by keyboard: what the keys and buttons do, files, and how it was the last time.

import { debounce, el, status } from "./common.js";
import { current, go, isFinished, nextOpen, reveal, showDocument } from "./judge_desk.js";
import { readQrels, readQueries, writeQrels, writeQueries } from "./judge_files.js";
import { addQuery, openQuery, shownQueries } from "./judge_queries.js";
import { at, counted, joinOtherTabs, keeping, keepSession, showAddress, state, store } from "./judge_state.js";

const MOST_BYTES = 20_000_000; // of a file
const MOST_QUERIES = 10_000;

// --- what a judge does ---------------------------------------------------------------------------------------------

function nextUnjudged() {
  const open = nextOpen();
  if (open !== undefined) {
    go(open);
    return;
  }
  const next = state.queries.findIndex((query, place) => place !== state.here && !isFinished(query));
  if (next >= 0) openQuery(next);
}

function grade(value) {
  const one = current();
  if (!one) return;
  const query = state.queries[state.here].id;
  state.undo.push({ query, document: one.id, before: state.grades.get(one.id) });
  setGrade(query, one.id, value);
  at("revealed").hidden = true; // what it tells was by other grades
  go(nextOpen() ?? state.place);
  shownQueries();
}

function setGrade(query, name, value) {
  const here = state.queries[state.here]?.id === query;
  const grades = store.grades(query); // what another tab did stays
  if (value === undefined) grades.delete(name);
  else grades.set(name, value);
  keeping(() => store.keepGrades(query, grades));
  if (here) state.grades = grades;
}

async function undo() {
  const last = state.undo.pop();
  if (!last) return;
  setGrade(last.query, last.document, last.before);
  const place = state.queries.findIndex((one) => one.id === last.query);
  if (place !== state.here) await openQuery(place);
  go(Math.max(0, state.pool.findIndex((one) => one.id === last.document)));
  shownQueries();
}


// --- files ---------------------------------------------------------------------------------------------------------

async function textOf(input) {
  const [file] = input.files;
  input.value = "";
  if (!file) return null;
  if (file.size > MOST_BYTES) throw new Error(`${file.name} has ${file.size} bytes; at most ${MOST_BYTES} can be loaded`);
  return file.text();
}

async function loadQueries() {
  try {
    const text = await textOf(at("queries"));
    if (text === null) return;
    const read = readQueries(text);
    if (read.length > MOST_QUERIES) throw new Error(`${read.length} queries; at most ${MOST_QUERIES} can be judged at once`);
    refuseOthers(new Map(read));
    Object.assign(state, { queries: read.map(([id, asked]) => ({ id, text: asked })), here: 0 });
    keepSession({ alone: true }); // in the place of all others
    await openQuery(0);
  } catch (error) {
    status(at("state"), "error", `The queries could not be read: ${error.message}`);
  }
}

/** Refuse queries under whose ids another query has been judged: its grades would become theirs. */
function refuseOthers(read) {
  joinOtherTabs();
  const judged = state.queries.filter(({ id, text }) => read.has(id) && read.get(id) !== text && store.grades(id).size);
  if (!judged.length) return;
  const [{ id, text }] = judged;
  throw new Error(`the id "${id}" has judgements of another query, "${text}". Export them and forget all first, or change the id.`);
}

async function loadQrels() {
  try {
    const text = await textOf(at("qrels"));
    if (text === null) return;
    const judged = readQrels(text);
    let count = 0;
    for (const [query, grades] of judged) {
      count += grades.size;
      keeping(() => store.keepGrades(query, new Map([...store.grades(query), ...grades])));
    }
    if (state.here >= 0) {
      state.grades = store.grades(state.queries[state.here].id);
      showDocument();
    }
    at("work").hidden = false;
    shownQueries();
    status(at("state"), "empty", `${counted(count, "judgement")} of ${counted(judged.size, "query", "queries")} loaded.`);
  } catch (error) {
    status(at("state"), "error", `The judgements could not be read: ${error.message}`);
  }
}

function exportQrels() {
  const order = new Map(state.queries.map((one, place) => [one.id, place]));
  const judged = store.all().sort(([a], [b]) => (order.get(a) ?? Infinity) - (order.get(b) ?? Infinity) || (a < b ? -1 : 1));
  const { text, count, note } = writeQrels(judged);
  saved("qrels.txt", text, `${counted(count, "judgement")} exported. ${note}`);
}

function exportQueries() {
  joinOtherTabs();
  saved("queries.tsv", writeQueries(state.queries), `${counted(state.queries.length, "query", "queries")} exported.`);
}

function saved(name, text, told) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  at("export-note").hidden = false;
  at("export-note").textContent = told;
}

function forgetAll() {
  if (!confirm("Forget all queries and judgements of this index? What was not exported is lost.")) return;
  store.forget();
  Object.assign(state, { queries: [], here: -1, pool: [], grades: new Map(), undo: [] });
  at("work").hidden = true;
  at("setup").open = true;
  at("q").value = "";
  showAddress();
  status(at("state"), "empty", "Everything is forgotten. Enter a query to begin anew.");
}

// --- keys and buttons ----------------------------------------------------------------------------------------------

const actions = {
  j: () => go(state.place + 1),
  ArrowRight: () => go(state.place + 1),
  k: () => go(state.place - 1),
  ArrowLeft: () => go(state.place - 1),
  n: nextUnjudged,
  u: undo,
  "[": () => openQuery(state.here - 1),
  "]": () => openQuery(state.here + 1),
  "?": () => at("keys").showModal(),
};
for (const value of [0, 1, 2, 3]) actions[value] = () => grade(value);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || at("keys").open) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  if (event.target.closest(".scroll-x") && event.key.startsWith("Arrow")) return;
  const action = actions[event.key];
  if (!action || (at("work").hidden && event.key !== "?")) return;
  event.preventDefault();
  action();
});
at("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = at("q").value.trim();
  if (text) {
    const opened = addQuery(text);
    at("query-title").focus({ preventScroll: true }); // what is typed now are grades, no part of the query
    opened.then(() => at("document").focus({ preventScroll: true }));
  } else status(at("state"), "error", "Enter the query for which documents are to be judged.");
});
const again = debounce(() => state.here >= 0 && openQuery(state.here, { editing: true }), 100);
for (const input of document.querySelectorAll("#ask [name=r], #depth")) input.addEventListener("change", again);
at("grades").addEventListener("click", (event) => {
  const button = event.target.closest("[data-grade]");
  if (button) grade(Number(button.dataset.grade));
});
at("before").addEventListener("click", actions.k);
at("after").addEventListener("click", actions.j);
at("unjudged").addEventListener("click", nextUnjudged);
at("undo").addEventListener("click", undo);
at("reveal").addEventListener("click", reveal);
at("help").addEventListener("click", actions["?"]);
at("queries").addEventListener("change", loadQueries);
at("qrels").addEventListener("change", loadQrels);
at("export").addEventListener("click", exportQrels);
at("export-queries").addEventListener("click", exportQueries);
at("forget").addEventListener("click", forgetAll);
addEventListener("popstate", () => {
  const text = new URLSearchParams(location.search).get("q")?.trim();
  if (text && text !== state.queries[state.here]?.text) addQuery(text);
});

// --- as it was the last time ---------------------------------------------------------------------------------------

function restore() {
  const last = store.lastSession();
  state.queries = store.queries();
  const asked = new URLSearchParams(location.search);
  if (!asked.has("r") && Array.isArray(last?.rankers)) {
    const inputs = document.querySelectorAll("#ask [name=r]");
    inputs.forEach((input, place) => (input.value = last.rankers[place] ?? ""));
  }
  if (!asked.has("depth") && Number.isInteger(last?.depth)) at("depth").value = last.depth;
  const text = at("q").value.trim();
  if (text) addQuery(text);
  else if (state.queries.length) openQuery(Math.max(0, Math.min(last.here ?? 0, state.queries.length - 1)));
}

restore();
