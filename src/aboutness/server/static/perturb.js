// The page Perturb, live: passages that can be edited, and the scores that every ranker gives them.
import { ask, debounce, el, indexName, pageData, setQuery, status, stepping, withQuery } from "./common.js";
import { passagesIn, savePassages } from "./perturb_files.js";
import { scoresTable, together } from "./perturb_scores.js";

const { set, sets, limits, rankers, empty } = pageData();
const at = (name) => document.getElementById(`perturb-${name}`);
const [form, query, chosen, file, state, hint] = ["form", "query", "set", "file", "state", "hint"].map(at);
const [list, pairs, scores, leftOut] = ["passages", "pairs", "scores", "left-out"].map(at);
const step = stepping();
let asking = null;
let edited = false; // since the passages came from somewhere
let made = 0; // passages and pairs, for the ids of their labels

// --- passages and pairs ---

function labelled(text, control) {
  control.id = `perturb-made-${++made}`;
  return [el("label", { for: control.id }, text), control];
}

function passageItem({ name, text }) {
  const title = el("input", { value: name, maxlength: 200, dir: "auto", class: "passage-name" });
  const body = el("textarea", { rows: 6, maxlength: limits.characters, dir: "auto", class: "passage-text" });
  body.value = text;
  const remove = el("button", { type: "button", class: "button quiet", "aria-label": "Remove this passage", title: "Remove this passage" }, "✕");
  const item = el("li", { class: "panel passage" },
    el("div", { class: "passage-head" },
      el("span", { class: "badge", "aria-hidden": "true" }),
      el("div", { class: "grow" }, labelled("Name", title)), remove),
    labelled("Text", body));
  item.querySelectorAll("label").forEach((label) => label.classList.add("visually-hidden"));
  remove.addEventListener("click", () => {
    const next = item.nextElementSibling ?? item.previousElementSibling;
    item.remove();
    (next?.querySelector(".passage-name") ?? at("add")).focus();
    renumber();
    edit();
  });
  return item;
}

function pairItem(old = "", other = "") {
  const words = [el("input", { class: "pair-old", value: old, maxlength: 200, dir: "auto" }), el("input", { class: "pair-new", value: other, maxlength: 200, dir: "auto" })];
  const remove = el("button", { type: "button", class: "button quiet", "aria-label": "Remove this pair", title: "Remove this pair" }, "✕");
  const item = el("li", { class: "pair" },
    el("div", {}, labelled("Replace", words[0])), el("div", {}, labelled("with", words[1])), remove,
    el("p", { class: "muted small", hidden: true }, "No passage has this word."));
  remove.addEventListener("click", () => {
    item.remove();
    at("pair").focus();
    renumber();
    edit();
  });
  return item;
}

function renumber() {
  [...list.children].forEach((item, number) => {
    item.querySelector(".badge").textContent = String(number + 1);
  });
  at("add").disabled = list.children.length >= limits.passages;
  at("pair").disabled = pairs.children.length >= limits.pairs;
}

function fill(passages) {
  list.replaceChildren(...passages.map(passageItem));
  renumber();
}

/** Return the passages that have a text, by names of which none is there twice. */
function passagesHere() {
  const found = new Map();
  for (const item of list.children) {
    const text = item.querySelector(".passage-text").value;
    const name = item.querySelector(".passage-name").value.trim() || "Passage";
    item.classList.toggle("left-out", !text.trim());
    if (!text.trim()) continue;
    let unique = name;
    for (let n = 2; found.has(unique); n += 1) unique = `${name} (${n})`;
    found.set(unique, text);
  }
  return found;
}

/** Return the pairs whose first word stands in a passage; the others say that they do nothing yet. */
function pairsHere(passages) {
  const texts = [...passages.values()].join("\n");
  const found = [];
  for (const item of pairs.children) {
    const old = item.querySelector(".pair-old").value.trim();
    const words = old.split(/\s+/).map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("\\s+");
    const there = old && new RegExp(`(?<![\\p{L}\\p{N}_])${words}(?![\\p{L}\\p{N}_])`, "iu").test(texts);
    item.querySelector("p").hidden = !old || there;
    if (there) found.push([old, item.querySelector(".pair-new").value.trim()]);
  }
  return found;
}

// --- scores ---

async function scored(body, signal, some) {
  const names = [...body.passages.keys()];
  const sent = { ...body, passages: Object.fromEntries(body.passages), rankers: some };
  const answer = await ask("/v1/perturb", { body: sent, signal });
  answer.rows.sort((one, other) => names.indexOf(one.passage) - names.indexOf(other.passage)); // objects put numbers first
  return answer;
}

function show(answer) {
  const usual = rankers[0].filter((name) => answer.columns.includes(name));
  hint.hidden = usual.some((name) => answer.rows.some((row) => row.scores[name] !== null));
  scores.replaceChildren(scoresTable(answer));
  const reasons = Object.entries(answer.left_out);
  leftOut.hidden = !reasons.length;
  leftOut.querySelector("summary").textContent = `Rankers that cannot be used here (${reasons.length})`;
  leftOut.querySelector("dl").replaceChildren(...reasons.flatMap(([name, why]) => [el("dt", {}, name), el("dd", { class: "text", dir: "auto" }, why)]));
}

function nothing(text) {
  scores.replaceChildren();
  scores.removeAttribute("aria-busy");
  hint.hidden = true;
  leftOut.hidden = true;
  status(state, "empty", text);
}

function address() {
  return { index: indexName(), set: chosen.value, q: query.value.trim() };
}

async function score() {
  asking?.abort();
  asking = new AbortController();
  const { signal } = asking;
  const passages = passagesHere();
  const replace = pairsHere(passages);
  const asked = query.value.trim();
  if (empty) return nothing(empty);
  if (!asked) return nothing("Type a query: the passages are scored for it.");
  if (!passages.size) return nothing("There is no passage with a text: add one, load a file, or reset.");
  const body = { index: indexName(), query: asked, passages, replace };
  status(state, "loading", "Scoring…");
  scores.setAttribute("aria-busy", "true");
  try {
    const first = await scored(body, signal, rankers[0]);
    show(first);
    status(state, "loading", "Scoring by further rankers…");
    show(together(first, await scored(body, signal, rankers[1])));
    status(state, "ok");
  } catch (problem) {
    if (problem.name === "AbortError") return;
    status(state, "error", problem.message);
  }
  scores.removeAttribute("aria-busy");
}

const later = debounce(() => {
  step.follow(address());
  score();
}, 300);

function edit() {
  edited = true;
  later();
}

/** Score what was chosen: a step for the back button. */
function scoreChosen() {
  step.follow(address());
  step.done();
  score();
}

// --- what can be done ---

/** Return all that is here to be edited. */
function kept() {
  const values = (item, ...names) => names.map((name) => item.querySelector(name).value);
  return {
    set: chosen.dataset.shown,
    query: query.value,
    passages: [...list.children].map((item) => values(item, ".passage-name", ".passage-text")).map(([name, text]) => ({ name, text })),
    pairs: [...pairs.children].map((item) => values(item, ".pair-old", ".pair-new")),
  };
}

/** Put other passages in the place of those that are here; what was edited can be had back. */
function replaceBy(put) {
  const before = edited ? kept() : null;
  edited = false;
  put();
  const undo = el("button", { type: "button", class: "button", on: { click: () => replaceBy(() => restore(before)) } }, "Undo");
  if (before) status(at("replaced"), "empty", "Passages that you had edited were replaced. ", undo);
  else status(at("replaced"), "ok");
  scoreChosen();
}

function restore(before) {
  chosen.value = chosen.dataset.shown = before.set;
  query.value = before.query;
  fill(before.passages);
  pairs.replaceChildren(...before.pairs.map((pair) => pairItem(...pair)));
  renumber();
  edited = true; // as it was
}

function begin(name, { keepQuery = false } = {}) {
  const from = sets.find((one) => one.name === name) ?? sets[0];
  chosen.value = chosen.dataset.shown = from.name;
  if (!keepQuery) query.value = from.query;
  fill(Object.entries(from.passages).map(([title, text]) => ({ name: title, text })));
}

function add(target, item) {
  target.append(item);
  renumber();
  edited = true;
  item.querySelector("input").focus();
  item.querySelector("input").select();
}

document.querySelectorAll(".live").forEach((part) => {
  part.hidden = false;
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  scoreChosen();
});
query.addEventListener("input", later);
query.addEventListener("change", () => {
  step.follow(address());
  step.done();
});
list.addEventListener("input", edit);
pairs.addEventListener("input", edit);
chosen.addEventListener("change", () => replaceBy(() => begin(chosen.value)));
at("reset").addEventListener("click", () => replaceBy(() => {
  pairs.replaceChildren(pairItem());
  file.value = "";
  begin(set);
}));
addEventListener("popstate", () => {
  if (withQuery(address()) === location.pathname + location.search) return; // only the fragment is another
  const said = new URLSearchParams(location.search);
  const another = said.has("set") && said.get("set") !== chosen.dataset.shown;
  const put = () => {
    if (another) begin(said.get("set"));
    query.value = said.get("q") ?? "";
  };
  step.done();
  if (another) return replaceBy(put);
  put();
  score();
});
at("add").addEventListener("click", () => add(list, passageItem({ name: `Passage ${list.children.length + 1}`, text: "" })));
at("pair").addEventListener("click", () => add(pairs, pairItem()));
at("save").addEventListener("click", () => savePassages([...passagesHere()].map(([name, text]) => ({ name, text }))));
file.addEventListener("click", () => {
  file.value = ""; // so that the same file can be loaded again
});
file.addEventListener("change", async () => {
  if (!file.files.length) return;
  try {
    const passages = await passagesIn(file.files[0], limits);
    replaceBy(() => fill(passages));
  } catch (problem) {
    status(state, "error", problem.message);
  }
});

pairs.replaceChildren(pairItem());
begin(set, { keepQuery: true });
setQuery(address());
score();
