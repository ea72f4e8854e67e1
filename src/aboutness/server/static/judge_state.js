// What the parts of judging share: the queries, the one that is judged, and how both are kept.

import { indexName, setQuery, status } from "./common.js";
import { Store } from "./judge_store.js";

export const at = (id) => document.getElementById(id);
export const store = new Store(indexName());
export const state = { queries: [], here: -1, pool: [], place: 0, grades: new Map(), undo: [], asking: null };

export const counted = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

export function settings() {
  const rankers = [...document.querySelectorAll("#ask [name=r]")].map((one) => one.value.trim()).filter(Boolean);
  return { rankers: rankers.length ? rankers : ["default"], depth: Number(at("depth").value) || 10 };
}

export function keepSession({ alone = false } = {}) {
  if (!alone) joinOtherTabs();
  keeping(() => store.keepSession({ queries: state.queries, here: state.here, ...settings() }));
  showAddress();
}

export function showAddress() {
  const query = state.queries[state.here];
  const several = document.querySelector("#ask [name=index]");
  const { rankers, depth } = settings();
  const before = new URLSearchParams(location.search).get("q")?.trim();
  const another = Boolean(before && query && before !== query.text); // a step for the back button
  setQuery({ index: several ? indexName() : null, q: query?.text, r: rankers, depth }, { push: another });
}

export function keeping(keep) {
  try {
    keep();
  } catch {
    status(at("state"), "error", "The browser keeps no more (its storage is full or off): export what you have.");
  }
}

/** Take over the queries that another tab has added meanwhile, so that none is lost and no id is given twice. */
export function joinOtherTabs() {
  const here = new Set(state.queries.map((one) => one.id));
  state.queries.push(...store.queries().filter((one) => !here.has(one.id)));
}
