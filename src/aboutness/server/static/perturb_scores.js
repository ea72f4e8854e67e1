// The table of scores on the page Perturb: a row for each ranker, a column for each passage.
import { el, svg } from "./common.js";

const COUNT = "count";

/** Return the numbers of the passages, the best first: "2 > 1 = 3". */
function order(ranks) {
  const ranked = ranks.map((rank, at) => [rank, at + 1]).filter(([rank]) => rank !== null).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return ranked.map(([rank, at], place) => (place ? (ranked[place - 1][0] === rank ? " = " : " > ") : "") + at).join("");
}

function cell(column, score, rank, low, high) {
  if (score === null) return el("td", { class: "muted" }, "–");
  const width = high > low ? (100 * (score - low)) / (high - low) : 0;
  return el("td", { class: rank === 1 && score !== 0 && "best" },
    el("span", { class: "value" }, column === COUNT ? String(score) : score.toFixed(3)),
    el("span", { class: "rank", title: `Rank ${rank}` }, String(rank), el("span", { class: "visually-hidden" }, ". place")),
    svg("svg", { class: "bar", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true" }, svg("rect", { width, height: 1 })));
}

function rankerRow(column, rows) {
  const scores = rows.map((row) => row.scores[column]);
  const there = scores.filter((score) => score !== null);
  const head = el("th", { scope: "row" }, column === COUNT ? "words counted" : column);
  if (!there.length) return el("tr", {}, head, el("td", { class: "muted", colspan: rows.length + 1 }, "knows no word of the query"));
  const [low, high] = [Math.min(0, ...there), Math.max(...there)];
  return el("tr", {}, head,
    rows.map((row, at) => cell(column, scores[at], row.ranks[column], low, high)),
    el("td", { class: "order" }, order(rows.map((row) => row.ranks[column]))));
}

/** Return the table of an answer to /v1/perturb. */
export function scoresTable(answer) {
  const heads = answer.rows.map((row, at) => el("th", { scope: "col" },
    el("span", { class: "badge" }, String(at + 1)), el("span", { class: "text name", dir: "auto" }, row.name)));
  return el("table", { class: "data scores-table" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Ranker"), heads, el("th", { scope: "col" }, "Order"))),
    el("tbody", {}, answer.columns.map((column) => rankerRow(column, answer.rows))));
}

/** Return two answers for the same passages as one: the columns of both. */
export function together(first, second) {
  const rows = first.rows.map((row, at) => ({
    ...row,
    scores: { ...row.scores, ...second.rows[at].scores },
    ranks: { ...row.ranks, ...second.rows[at].ranks },
  }));
  const columns = [...first.columns, ...second.columns.filter((column) => column !== COUNT)];
  return { ...first, rows, columns, left_out: { ...first.left_out, ...second.left_out } };
}
