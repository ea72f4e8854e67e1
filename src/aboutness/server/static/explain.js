// Explain: marks follow the threshold, words say what they add, and another ranker comes without a new page.
// The server draws everything; this only changes what is there, or puts the server's newer drawing in its place.
import { debounce, el, setQuery, status } from "./common.js";

const get = (id) => document.getElementById(id);
const shown = (count) => count.toLocaleString("en");
const form = get("ask"), tip = get("tip"), state = get("state");
let kinds = [], parts = [], spans = [], over = []; // kinds of words, and by kind their elements and whether over
let shownAt = location.search; // what the address said of what is shown

// --- a result, when it has come ------------------------------------------------------------------------------

/** Let the way back lead to the search that one came from, with all that was chosen there. */
function linkBack() {
  const back = get("result").querySelector("a.back");
  if (!back || !document.referrer) return;
  const from = new URL(document.referrer);
  if (from.origin !== location.origin || from.pathname !== "/search") return;
  from.searchParams.set("q", new URLSearchParams(location.search).get("q") ?? "");
  back.href = from.pathname + from.search;
}

function begin() {
  hide();
  linkBack();
  const data = get("data") ? JSON.parse(get("data").textContent) : { kinds: [], parts: [] };
  ({ kinds, parts } = data);
  spans = kinds.map(() => []);
  for (const word of get("result").querySelectorAll(".w[data-k]")) spans[word.dataset.k].push(word);
  over = spans.map(([word]) => Boolean(word?.classList.contains("over")));
}

// --- the threshold -------------------------------------------------------------------------------------------

function mark(limit) {
  let count = 0, known = 0, own = 0;
  kinds.forEach((kind, number) => {
    const words = spans[number];
    if (kind.own) own += words.length;
    else if (kind.similarity !== null) {
      known += words.length;
      const is = kind.similarity > limit;
      if (is) count += words.length;
      if (is !== over[number]) for (const word of words) word.classList.toggle("over", is);
      over[number] = is;
    }
  });
  get("count").textContent =
    `${shown(count)} of ${shown(known)} words are over this similarity, besides ${shown(own)} of the query's own`;
}

const remember = debounce((mode, limit) => {
  const here = new URLSearchParams(location.search), rankers = here.getAll("r");
  setQuery({ ...Object.fromEntries(here), r: rankers, mark: mode === "evidence" ? mode : "", t: mode === "evidence" ? limit : "" });
  shownAt = location.search;
}, 200);
let waiting = 0;

function moved() {
  const limit = get("t").value;
  const mode = document.querySelector("input[name=mark]:checked").value;
  get("limit").textContent = Number(limit).toFixed(3);
  get("result").dataset.mark = mode;
  remember(mode, limit);
  waiting ||= requestAnimationFrame(() => {
    waiting = 0;
    if (get("t")) mark(Number(get("t").value));
  });
}

document.addEventListener("input", (event) => {
  if (event.target.id === "t") {
    document.querySelector("input[name=mark][value=evidence]").checked = true;
    moved();
  } else if (event.target.name === "mark") moved();
});

// --- what a word adds ----------------------------------------------------------------------------------------

const MOST = 4; // parts in a tip
let told = null, leaving = 0;

function row(name, adds, note) {
  return el("tr", {}, el("th", { scope: "row", dir: "auto" }, name, note && el("small", { class: "muted" }, note)), el("td", {}, adds));
}

function tell(word) {
  clearTimeout(leaving);
  if (told === word) return;
  hide();
  const kind = kinds[word.dataset.k], about = kind.parts.map((place) => parts[place]); // the largest first
  const more = about.length > MOST && el("tr", {}, el("th", { scope: "row", class: "muted" }, `and ${about.length - MOST} more parts`));
  tip.replaceChildren(el("table", {},
    el("caption", {}, el("bdi", {}, word.textContent), kind.own ? ", a word of the query" : ""),
    el("tbody", {}, row("this occurrence adds", about.length ? kind.adds : "nothing"),
      about.slice(0, MOST).map((part) => row(`all of ${part.name}`, part.adds, part.note)), more)));
  tip.hidden = false;
  told = word;
  word.setAttribute("aria-describedby", "tip");
  const at = word.getClientRects()[0] ?? word.getBoundingClientRect(), size = tip.getBoundingClientRect();
  const below = at.bottom + size.height < innerHeight || at.top < size.height;
  tip.style.left = `${Math.max(8, Math.min(at.left, innerWidth - size.width - 8))}px`;
  tip.style.top = `${Math.max(0, below ? Math.min(at.bottom + 2, innerHeight - size.height) : at.top - size.height - 2)}px`;
}

function hide() {
  clearTimeout(leaving);
  told?.removeAttribute("aria-describedby");
  told = null;
  tip.hidden = true;
}

const wordOf = (event) => event.target.closest?.("#result .w[data-k]");
document.addEventListener("mouseover", (event) => {
  const word = wordOf(event);
  if (word) tell(word);
  else if (tip.contains(event.target)) clearTimeout(leaving);
  else if (told && told !== document.activeElement) {
    clearTimeout(leaving);
    leaving = setTimeout(hide, 150);
  }
});
document.addEventListener("focusin", (event) => { const word = wordOf(event); if (word) tell(word); else hide(); });
document.addEventListener("scroll", (event) => { if (!tip.contains(event.target)) hide(); }, true);

function step(from, way) {
  const words = [...get("result").querySelectorAll(".w[data-k]")], now = words.indexOf(from);
  return words[now < 0 ? (way > 0 ? 0 : words.length - 1) : now + way];
}

function goTo(word) {
  word.tabIndex = -1;
  word.scrollIntoView({ block: "nearest" });
  word.focus({ preventScroll: true });
  requestAnimationFrame(() => tell(word)); // after the scrolling, which hides what was told
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hide();
  const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!way || !(wordOf(event) ?? event.target.closest?.("#words")) || event.altKey || event.ctrlKey || event.metaKey) return;
  const next = step(event.target, way);
  if (!next) return;
  event.preventDefault();
  goTo(next);
});

// --- where a part's words stand ------------------------------------------------------------------------------

function find(button) {
  const place = parts.findIndex((part) => part.place === Number(button.dataset.part));
  const words = kinds.flatMap((kind, number) => (kind.parts.includes(place) ? spans[number] : []));
  const again = button.getAttribute("aria-pressed") === "true";
  const next = again ? (words.findIndex((word) => word.classList.contains("here")) + 1) % words.length : 0;
  for (const word of document.querySelectorAll(".w.found")) word.classList.remove("found", "here");
  for (const one of document.querySelectorAll("button.word[aria-pressed=true]")) one.setAttribute("aria-pressed", "false");
  for (const word of words) word.classList.add("found");
  button.setAttribute("aria-pressed", "true");
  words[next]?.classList.add("here");
  words[next]?.scrollIntoView({ block: "nearest" });
}

// --- another question, document or ranker --------------------------------------------------------------------

const SLOW = 200; // milliseconds after which it is told that an answer is waited for
let asking = null;

async function show(address, push) {
  asking?.abort();
  const own = asking = new AbortController();
  get("result").setAttribute("aria-busy", "true");
  const slow = setTimeout(() => status(state, "loading", "Explaining…"), SLOW);
  try {
    const answer = await fetch(address, { signal: own.signal, headers: { Accept: "text/html" } });
    if (answer.redirected) return location.assign(address); // to the form for the key
    const whole = new DOMParser().parseFromString(await answer.text(), "text/html"), made = whole.getElementById("result");
    if (!made) throw new Error(whole.querySelector("[role=alert]")?.textContent ?? `the server answered ${answer.status}`);
    document.title = whole.title;
    get("result").replaceWith(document.adoptNode(made));
    if (push) history.pushState(null, "", address);
    shownAt = location.search;
    begin();
    status(state, "ok", "");
  } catch (error) {
    if (own.signal.aborted) return;
    get("result").removeAttribute("aria-busy");
    const why = error instanceof TypeError ? "the server does not answer. Is the server still running?" : error.message;
    status(state, "error", `This could not be explained: ${why}`);
  } finally {
    clearTimeout(slow);
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const asked = new URLSearchParams([...new FormData(form)].filter(([name, value]) => value !== "" && !["mark", "t"].includes(name)));
  show(`${form.getAttribute("action")}?${asked}`, true);
});
form.addEventListener("change", (event) => { if (event.target.name === "r" && form.reportValidity()) form.requestSubmit(); });
addEventListener("popstate", () => { if (location.search !== shownAt) location.reload(); }); // else only the place in the page is another
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("button.word"), link = event.target.closest?.("a.score"), word = wordOf(event);
  if (button) find(button);
  else if (word) tell(word);
  else if (!tip.contains(event.target)) hide();
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  show(link.href, true);
});

begin();
