// The queries of a judge: their list, a new one, and the pool of the one that is opened.

import { ask, el, indexName, status } from "./common.js";
import { showDocument } from "./judge_desk.js";
import { at, counted, joinOtherTabs, keepSession, settings, state, store } from "./judge_state.js";

function freeId() {
  const taken = new Set([...state.queries.map((one) => one.id), ...store.all().map(([query]) => query)]);
  let id = 1;
  while (taken.has(String(id))) id += 1;
  return String(id);
}

export function addQuery(text) {
  joinOtherTabs();
  let place = state.queries.findIndex((one) => one.text === text);
  if (place < 0) {
    place = state.queries.push({ id: freeId(), text }) - 1;
    state.here = place;
    keepSession(); // at once: the id is taken
  }
  return openQuery(place);
}

export function shownQueries() {
  at("query-list").replaceChildren(
    ...state.queries.map((query, place) => {
      const grades = place === state.here ? state.grades : store.grades(query.id);
      const finished = query.size !== undefined && query.size > 0 && grades.size >= query.size;
      const count = query.size === undefined ? `${grades.size}` : `${Math.min(grades.size, query.size)}/${query.size}`;
      return el(
        "li",
        {},
        el(
          "button",
          {
            type: "button",
            "aria-current": place === state.here ? "true" : null,
            "data-done": finished,
            on: { click: () => openQuery(place) },
          },
          el("span", { class: "text", dir: "auto", title: query.text }, query.text),
          el("span", { class: "count" }, finished ? `✓ ${count}` : count, el("span", { class: "visually-hidden" }, " judged")),
        ),
      );
    }),
  );
  showInList(at("query-list"));
  const judged = store.all();
  const count = judged.reduce((sum, [, grades]) => sum + grades.size, 0);
  at("tally").textContent = `${counted(count, "judgement")} of ${counted(judged.length, "query", "queries")} kept in this browser.`;
  at("export").disabled = !count;
  at("export-queries").disabled = !state.queries.length;
}

/** Have the current query in view in its list; the page stays where it is, for the document is read there. */
function showInList(list) {
  const own = list.querySelector("[aria-current]")?.getBoundingClientRect();
  const box = list.getBoundingClientRect();
  if (own && own.top < box.top) list.scrollTop -= box.top - own.top;
  else if (own && own.bottom > box.bottom) list.scrollTop += own.bottom - box.bottom;
}

export async function openQuery(place, { editing = false } = {}) {
  const query = state.queries[place];
  if (!query) return;
  state.asking?.abort();
  const asking = new AbortController();
  state.asking = asking;
  Object.assign(state, { here: place, pool: [], place: 0, grades: store.grades(query.id) });
  at("work").hidden = false;
  at("setup").open = editing;
  status(at("state"), "ok");
  at("query-title").textContent = query.text;
  at("q").value = query.text;
  at("revealed").hidden = true;
  status(at("desk-state"), "loading", "Putting the documents together…");
  showDocument();
  shownQueries();
  try {
    const asked = { index: indexName(), query: query.text, ...settings() };
    const answer = await ask("/v1/pool", { body: asked, signal: asking.signal });
    if (state.asking !== asking) return;
    state.pool = answer.documents;
    query.size = answer.documents.length;
    if (state.pool.length) status(at("desk-state"), "ok");
    else status(at("desk-state"), "empty", "No ranker finds anything for this query. Are its words in the documents? Try others, or a ranker on vectors.");
    const open = state.pool.findIndex((one) => !state.grades.has(one.id));
    state.place = Math.max(0, open);
    keepSession();
  } catch (error) {
    if (error.name === "AbortError") return;
    status(at("desk-state"), "error", `${error.message} `, el("button", { type: "button", on: { click: () => openQuery(place) } }, "Try again"));
    at("setup").open = true;
  }
  showDocument();
  shownQueries();
}
