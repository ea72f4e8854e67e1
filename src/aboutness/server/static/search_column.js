// One ranker of the search page: its text, its sliders, and what it finds.

import { el, marked, number } from "./common.js";
import { gap } from "./search_moves.js";
import { Sliders } from "./search_sliders.js";

export class Column {
  #input;
  #label;
  #remove;
  #problem;
  #facts = el("p", { class: "facts took" });
  #note = el("p", { class: "note" });
  #list = el("ol", { class: "hits" });
  #none = el("p", { class: "none" });
  #sliders;

  constructor(place, text, { written, moved, removed }) {
    const id = `r${place}`;
    const input = () => {
      this.moved.clear(); // what was moved may not be there any more
      written(false);
    };
    this.#input = el("input", {
      id, name: "r", list: "rankers", maxlength: 1000, autocomplete: "off", spellcheck: "false", class: "mono",
      "aria-describedby": `problem-${id}`, on: { input, change: () => written(true) },
    });
    this.#input.value = text;
    this.#label = el("label", { for: id }, `Ranker ${place + 1}`);
    this.#remove = el("button", { type: "button", class: "button quiet remove", on: { click: () => removed(this) } }, "×");
    this.#problem = el("p", { class: "problem", id: `problem-${id}` });
    this.#sliders = new Sliders(id, moved);
    this.node = el(
      "section",
      { class: "column", "aria-label": `Ranker ${place + 1}` },
      place > 0 && gap(),
      el(
        "div",
        { class: "head" },
        this.#label,
        el(
          "div",
          { class: "ranker" },
          this.#input,
          this.#remove,
        ),
        this.#problem,
        this.#facts,
        this.#note,
        this.#sliders.nodes,
      ),
      el("div", { class: "list" }, this.#list, this.#none),
    );
  }

  get text() {
    return this.#input.value;
  }

  /** The numbers that were moved and not yet answered, by their places. */
  get moved() {
    return this.#sliders.moved;
  }

  /** The links of the hits, the best first. */
  get hits() {
    return [...this.#list.querySelectorAll("a.why")];
  }

  focus() {
    this.#input.focus();
    this.#input.select();
  }

  alone(only) {
    this.#remove.hidden = only;
    if (only) this.#label.textContent = "Ranker";
  }

  answered(settings) {
    this.#sliders.answered(settings);
  }

  show(column, { links, first, nothing, asked, empty }) {
    if (column.ranker.trim() !== this.#input.value.trim()) this.#input.value = column.ranker;
    this.#remove.setAttribute("aria-label", `Remove the ranker ${column.ranker}`);
    this.#input.toggleAttribute("aria-invalid", Boolean(column.problem));
    this.#problem.textContent = column.problem ?? "";
    this.#note.replaceChildren(...noted(column.note));
    this.#sliders.show(column.places);
    const count = column.hits.length;
    this.#facts.textContent = count ? `${count} hit${count === 1 ? "" : "s"} in ${duration(column.took_ms)} ms` : "";
    this.#list.replaceChildren(...column.hits.map((hit) => shown(hit, column.explained_by, first, links)));
    this.#none.replaceChildren(...(count || column.problem || nothing ? [] : empty ? emptyIndex(empty) : whyNone(column, asked, links)));
  }

  /** Return the link to go to from one of the hits by an arrow key; null is above the first one. */
  next(from, key, neighbour) {
    const hits = this.hits;
    const at = hits.findIndex((link) => link.closest(".hit").contains(from));
    if (key === "ArrowUp") return hits[at - 1] ?? null;
    if (key === "ArrowDown") return hits[at + 1] ?? hits[at];
    const beside = neighbour?.hits ?? [];
    const { id } = hits[at].closest(".hit").dataset;
    return beside.find((link) => link.closest(".hit").dataset.id === id) ?? beside[Math.min(at, beside.length - 1)] ?? hits[at];
  }
}

function shown(hit, ranker, first, links) {
  const text = hit.text && hit.text !== hit.title;
  return el(
    "li",
    { class: "hit", dataset: { id: hit.id } },
    el("span", { class: "rank" }, hit.rank, first ? null : move(hit)),
    el(
      "div",
      { class: "found" },
      el("p", { class: "title" }, el("a", { class: "why text", dir: "auto", href: links.why(hit.id, ranker) }, marked(hit.title, hit.marks.title))),
      text && el("p", { class: "beginning text", dir: "auto" }, marked(hit.text, hit.marks.text)),
      el(
        "p",
        { class: "facts" },
        el("span", { class: "score", title: "score" }, number(hit.score)),
        el("bdi", { class: "text mono" }, hit.id),
        el(
          "span",
          { class: "to" },
          links.explains && el("a", { tabindex: -1, href: links.why(hit.id, ranker) }, "why"), // as the title does
          el("a", { href: links.like(hit.id) }, "more like this"),
        ),
      ),
    ),
  );
}

/** Return milliseconds with two digits that count: more would be other ones the next time. */
function duration(milliseconds) {
  return number(milliseconds < 100 ? Number(milliseconds.toPrecision(2)) : Math.round(milliseconds));
}

/** Return how a hit moved from the ranker to the left, in words. */
function move({ rank, before }) {
  if (before === null) return el("span", { class: "move", dataset: { way: "new" } }, "new");
  const way = before > rank ? "up" : before < rank ? "down" : "same";
  return el("span", { class: "move", dataset: { way } }, { up: `▲${before - rank}`, down: `▼${rank - before}`, same: "=" }[way]);
}

/** Return a note; where it names a command that trains, also the page on which that can be done. */
function noted(note) {
  if (!note) return [];
  return note.includes("aboutness train ") ? [note, ", or train it on the page ", indexPage(), "."] : [note];
}

function indexPage() {
  return el("a", { href: document.querySelector('nav a[href^="/indexes"]')?.href ?? "/indexes" }, "Index");
}

/** Return what to do where there is nothing to find; `folder` is that of the index. */
function emptyIndex(folder) {
  return [
    "No hits: the index is empty. Add documents with ", el("code", {}, `aboutness add ${folder} FILE`),
    ", or on the page ", indexPage(), ".",
  ];
}

/** Return why there are no hits, and what else could be asked. */
function whyNone(column, asked, links) {
  const other = (change, words) =>
    el("button", { type: "button", class: "button", on: { click: () => links.go(change) } }, words);
  return [
    "No hits. ",
    column.without_vectors ? "No word of the query has a vector. " : "",
    ...(asked.match === "and" ? [other({ match: null }, "Find any of the words")] : []),
    ...(asked.where.length ? [other({ where: [] }, "Search without filters")] : []),
    ...(asked.fields ? [other({ fields: null }, "Search all fields")] : []),
  ];
}
