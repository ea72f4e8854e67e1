// The desk: the document that is judged, the pool that it is of, and in the end who found what.

import { ask, el, indexName, status } from "./common.js";
import { documentNodes, meansTable, revealedTable } from "./judge_shown.js";
import { at, settings, state, store } from "./judge_state.js";

export const current = () => state.pool[state.place];
const judgedHere = () => state.pool.filter((one) => state.grades.has(one.id)).length;

export function showDocument() {
  const one = current();
  const total = state.pool.length;
  for (const id of ["document", "grades", "pool"]) at(id).hidden = !one;
  for (const id of ["before", "after", "unjudged"]) at(id).disabled = !one;
  at("undo").disabled = !state.undo.length;
  at("progress").max = Math.max(1, total);
  at("progress").value = judgedHere();
  const left = total - judgedHere();
  at("progress-text").textContent = one
    ? `Document ${state.place + 1} of ${total} · ${left ? `${left} without a grade` : "all are judged"}`
    : "";
  at("reveal").hidden = !one || left > 0;
  if (!one) return;
  at("document").replaceChildren(...documentNodes(one));
  for (const button of at("grades").children) {
    button.setAttribute("aria-pressed", String(state.grades.get(one.id) === Number(button.dataset.grade)));
  }
  at("pool").replaceChildren(
    ...state.pool.map((other, place) => {
      const grade = state.grades.get(other.id);
      const said = grade === undefined ? "without a grade" : `grade ${grade}`;
      return el(
        "li",
        {},
        el(
          "button",
          {
            type: "button",
            "data-grade": grade,
            "aria-current": place === state.place ? "true" : null,
            "aria-label": `Document ${place + 1}, ${said}`,
            on: { click: () => go(place) },
          },
          grade === undefined ? "·" : String(grade),
        ),
      );
    }),
  );
}

export function go(place) {
  if (!state.pool.length) return;
  state.place = Math.min(Math.max(0, place), state.pool.length - 1);
  showDocument();
  if (at("document").getBoundingClientRect().top < 0) at("document").scrollIntoView({ block: "start" });
}

/** Return the place of the next document without a grade, from here on and round; undefined where there is none. */
export function nextOpen() {
  const order = state.pool.map((_, step) => (state.place + 1 + step) % state.pool.length);
  return order.find((place) => !state.grades.has(state.pool[place].id));
}

export function isFinished(query) {
  return query.size > 0 && store.grades(query.id).size >= query.size;
}

function askRevealed(query) {
  const body = { index: indexName(), query: query.text, ...settings(), grades: Object.fromEntries(store.grades(query.id)) };
  return ask("/v1/pool/revealed", { body });
}

export async function reveal() {
  const target = at("revealed-content");
  at("revealed").hidden = false;
  const wait = el("div");
  target.replaceChildren(wait);
  status(wait, "loading", "Asking the rankers…");
  try {
    target.replaceChildren(revealedTable(await askRevealed(state.queries[state.here]), state.pool, state.grades));
    const finished = state.queries.filter(isFinished);
    if (finished.length > 1) {
      const button = el("button", { type: "button", id: "overall", on: { click: () => revealAll(finished, target) } }, `Means over ${finished.length} judged queries`);
      target.append(el("p", {}, button));
    }
    at("revealed").scrollIntoView({ block: "nearest" });
  } catch (error) {
    status(wait, "error", error.message);
  }
}

async function revealAll(finished, target) {
  const wait = el("div");
  target.append(wait);
  const answers = [];
  try {
    for (const query of finished) {
      status(wait, "loading", `Asking the rankers: query ${answers.length + 1} of ${finished.length}…`);
      answers.push(await askRevealed(query));
    }
    target.replaceChildren(meansTable(answers));
  } catch (error) {
    status(wait, "error", error.message);
  }
}
