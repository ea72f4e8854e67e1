// What a judge sees: a document, and in the end who found what.

import { el, marked, number } from "./common.js";

/** Return what a judge reads: title, id, texts with the query's words marked, metadata. */
export function documentNodes(one) {
  const { title, ...others } = one.fields;
  const several = Object.values(others).filter(Boolean).length > 1;
  const fields = Object.entries(others)
    .filter(([, text]) => text)
    .flatMap(([name, text]) => [
      several && el("p", { class: "field-name" }, name),
      el("p", { class: "field text", dir: "auto" }, marked(text, one.marks[name]), one.cut.includes(name) && "… (the text goes on)"),
    ]);
  const metadata = Object.entries(one.metadata).map(([key, value]) =>
    el("div", {}, el("dt", { class: "text" }, key), el("dd", { class: "text", dir: "auto" }, Array.isArray(value) ? value.join(", ") : String(value))),
  );
  return [
    title && el("h3", { class: "text", dir: "auto" }, marked(title, one.marks.title)),
    el("p", { class: "id text", dir: "auto" }, one.id),
    ...fields,
    metadata.length && el("dl", {}, metadata),
  ].filter(Boolean);
}

/** Return which ranker had which documents of the pool where, the best grades first, under what that is worth. */
export function revealedTable(rankers, pool, grades) {
  const names = Object.keys(rankers[0].measures ?? {});
  const ranks = rankers.map((one) => new Map(one.hits.map((hit) => [hit.id, hit.rank])));
  const best = new Map(names.map((name) => [name, Math.max(...rankers.map((one) => one.measures[name] ?? 0))]));
  const rows = [...pool].sort((a, b) => grades.get(b.id) - grades.get(a.id));
  const table = el(
    "table",
    { class: "data" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Document"), el("th", { scope: "col", class: "number" }, "Grade"), rankers.map((one) => el("th", { scope: "col", class: "number text" }, one.ranker)))),
    el("tbody", {}, names.map((name) =>
      el("tr", { class: "measure" }, el("th", { scope: "row", colspan: 2 }, name), rankers.map((one) =>
        el("td", { class: one.measures[name] === best.get(name) ? "number best" : "number" }, number(one.measures[name])))))),
    el("tbody", { class: "documents" }, rows.map((one) =>
      el("tr", {}, el("td", { class: "text", dir: "auto" }, one.fields.title || one.id), el("td", { class: "number" }, String(grades.get(one.id))), ranks.map((by) =>
        el("td", { class: "number" }, by.has(one.id) ? `${by.get(one.id)}` : "–"))))),
  );
  const notes = rankers.filter((one) => one.note).map((one) => el("p", { class: "small muted" }, `${one.ranker}: ${one.note}`));
  return el("div", {}, el("p", { class: "small muted" }, "Measures by your grades alone, then at which rank each ranker had each document."), notes,
    scrolling("Who found what", table));
}

/** Return the means of each ranker's measures over several queries, by what was revealed of each. */
export function meansTable(answers) {
  const rankers = answers[0].map((one) => one.ranker);
  const names = Object.keys(answers[0][0].measures);
  const mean = (place, name) => answers.reduce((sum, one) => sum + (one[place].measures[name] ?? 0), 0) / answers.length;
  const rows = rankers.map((ranker, place) => [ranker, ...names.map((name) => mean(place, name))]);
  const best = names.map((_, column) => Math.max(...rows.map((row) => row[column + 1])));
  const table = el(
    "table",
    { class: "data means" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Ranker"), names.map((name) => el("th", { scope: "col", class: "number" }, name)))),
    el("tbody", {}, rows.map(([ranker, ...values]) =>
      el("tr", {}, el("th", { scope: "row", class: "text" }, ranker), values.map((value, column) =>
        el("td", { class: value === best[column] ? "number best" : "number" }, number(value)))))),
  );
  return el("div", {}, el("p", { class: "small muted" }, `Means over ${answers.length} queries, by your grades alone.`), scrolling("Means of all rankers", table));
}

function scrolling(name, content) {
  return el("div", { class: "scroll-x", tabindex: "0", role: "region", "aria-label": name }, content);
}
