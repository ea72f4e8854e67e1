// The page Words, live: neighbours of what is being typed. Without this the form loads the page anew.
import { ask, debounce, el, indexName, pageData, status, stepping, svg, withQuery } from "./common.js";

const form = document.getElementById("words-form");
const state = document.getElementById("words-state");
const results = document.getElementById("words-results");
const { pairs } = pageData();
const BAR = 100;
const SLOW = 200; // milliseconds after which it is told that an answer is waited for
const step = stepping();
let asking = null;
let last = null; // what was asked for last: the same is not asked for again, so that what is shown keeps the focus

function asked(words) {
  return { index: indexName(), vectors: form.elements.vectors.value, q: words };
}

function wordLink(word, text = word) {
  return el("a", { href: withQuery(asked(text)), class: "text", dir: "auto" }, word);
}

/** Return a cosine; what is next to nothing below 0 is 0, too. */
function cosine(score) {
  return score.toFixed(3).replace("-0.000", "0.000");
}

function neighbourRow(one, most, frequencies) {
  const width = most > 0 ? Math.max(0, (one.score / most) * BAR) : 0;
  const bar = svg("svg", { class: "bar", viewBox: `0 0 ${BAR} 1`, preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { width, height: 1 }));
  const seen = Object.hasOwn(frequencies, one.word) ? frequencies[one.word] : null;
  return el("tr", {},
    el("th", { scope: "row" }, wordLink(one.word)),
    el("td", {}, el("div", { class: "cosine" }, bar, el("span", { class: "score" }, cosine(one.score)))),
    el("td", { class: "documents" }, seen ? seen.df.toLocaleString("en") : "-"));
}

function column(pair, found) {
  const near = found.neighbours[pair.name];
  const head = [el("h2", {}, pair.title), el("p", { class: "muted" }, pair.meaning)];
  if (!near) return el("section", { class: "panel space" }, ...head, el("p", { class: "muted" }, pair.missing));
  if (!near.length) return el("section", { class: "panel space" }, ...head,
    el("p", { class: "muted" }, "No neighbours: its vector is 0, or the words cancel each other out."));
  const most = near[0].score;
  return el("section", { class: "panel space" }, ...head,
    el("table", { class: "data near" },
      el("thead", {}, el("tr", {}, ...["Word", "Cosine", "Docs"].map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, ...near.map((one) => neighbourRow(one, most, found.frequencies)))));
}

function frequencyText(word, documents) {
  const said = word.frequencies.filter((one) => one.layer === word.frequencies[0].layer).map(({ term, df, cf }) => {
    const shown = term === word.word ? "" : ` as “${term}”`;
    const among = `${df.toLocaleString("en")} of ${documents.toLocaleString("en")} documents`;
    return df ? `in ${among}${shown}, ${cf.toLocaleString("en")} times` : `in no document${shown}`;
  });
  return said.join("; ") || "in no document";
}

function sumWith(found, unknown, suggestion) {
  return found.asked.map((one, at) => {
    const sign = one.weight < 0 ? "- " : at ? "+ " : "";
    return sign + (one === unknown ? suggestion : one.word);
  }).join(" ");
}

function hint(found, word) {
  const seen = word.frequencies.some((one) => one.df);
  const why = !word.terms.length ? "is left out by the analyzer, as very common words are."
    : seen ? "stands in the documents, but too seldom to have been given a vector."
      : "stands in no document of this index.";
  const parts = [el("p", {}, el("strong", { class: "text", dir: "auto" }, word.word), ` has no vector: it ${why}`)];
  if (word.suggestions.length) {
    parts.push(el("p", { class: "row" }, "Did you mean:",
      ...word.suggestions.map((one) => el("span", { class: "chip" }, wordLink(one, sumWith(found, word, one))))));
  }
  return el("div", { class: "panel unknown" }, ...parts);
}

function show(found) {
  const facts = found.asked.filter((one) => one.known).map((one) => el("li", {},
    el("strong", { class: "text", dir: "auto" }, one.word), ` ${frequencyText(one, found.documents)}`));
  const parts = [el("ul", { class: "facts muted" }, ...facts)];
  parts.push(...found.asked.filter((one) => !one.known).map((one) => hint(found, one)));
  if (found.known) parts.push(el("div", { class: "spaces" }, ...pairs.map((pair) => column(pair, found))));
  results.replaceChildren(...parts);
}

function unfinished(words) {
  const pieces = words.split(/\s+/);
  const sign = (piece) => piece === "+" || piece === "-";
  return pieces.length > 1 && pieces.some((piece, at) => sign(piece) && (at === pieces.length - 1 || sign(pieces[at + 1])));
}

function nothingToAsk(words) {
  results.replaceChildren();
  status(state, "empty", words ? "Go on: a word is missing beside a + or -." : "Type a word, or a sum such as: king - man + woman");
}

async function look({ back = false } = {}) {
  const words = form.elements.q.value.trim();
  const k = form.elements.k.value;
  const { q, ...where } = asked(words);
  const address = withQuery({ ...where, word: q, k }, "/v1/neighbours");
  if (address === last) return;
  last = address;
  asking?.abort();
  if (!form.elements.k.checkValidity()) return status(state, "error", "How many neighbours: a whole number from 1 to 100.");
  if (!back) step.follow({ ...asked(words), k: k === "10" ? null : k });
  if (!words || unfinished(words)) return nothingToAsk(words);
  asking = new AbortController();
  const { signal } = asking;
  const slow = setTimeout(() => status(state, "loading", "Looking for neighbours…"), SLOW);
  try {
    const found = await ask(address, { signal });
    clearTimeout(slow);
    status(state, "ok");
    show(found);
  } catch (problem) {
    clearTimeout(slow);
    if (problem.name === "AbortError") return;
    last = null;
    results.replaceChildren();
    const again = problem.status === 0 && el("button", { type: "button", on: { click: lookAtOnce } }, "Try again");
    status(state, "error", `${problem.message} `, again || "");
  }
}

function lookAtOnce() {
  look();
  step.done();
}

form.addEventListener("input", debounce(() => look(), 250));
form.addEventListener("change", lookAtOnce);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  lookAtOnce();
});
addEventListener("popstate", () => {
  const said = new URLSearchParams(location.search);
  const { q, k, vectors } = form.elements;
  q.value = said.get("q") ?? "";
  k.value = said.get("k") ?? "10";
  vectors.value = said.get("vectors") ?? vectors.options[0].value;
  step.done();
  look({ back: true });
});
