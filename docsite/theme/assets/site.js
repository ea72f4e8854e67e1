// The menu on narrow screens, and the search: BM25 over the parts of all pages, in the browser, without a network.
const base = document.currentScript.dataset.base;
const INDEX = "assets/search-index.js";
const K1 = 1.2, B = 0.75, MOST = 12, OF_A_PAGE = 2, AROUND = 90;
const WEIGHTS = [2, 5, 1]; // of the page's title, of the part's heading, of its text
const FIRST = 8; // of the title in a page's first part, which has no other heading
const BEGUN = 0.3; // what a word counts that only begins with one of the query

const words = text => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

class Search {
  constructor(parts) {
    this.parts = parts;
    this.postings = new Map(); // word -> Map(part -> weighted count)
    this.lengths = parts.map((part, number) => {
      let length = 0;
      part.slice(1).forEach((text, field) => {
        for (const word of words(text)) {
          const list = this.postings.get(word) ?? this.postings.set(word, new Map()).get(word);
          list.set(number, (list.get(number) ?? 0) + (field || part[2] ? WEIGHTS[field] : FIRST));
          length += 1;
        }
      });
      return length;
    });
    this.average = this.lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, parts.length);
  }

  // The words that a word of the query stands for: itself, and at the end of the query all that begin with it.
  meant(word, isLast) {
    const found = this.postings.has(word) ? [word] : [];
    if (!isLast || word.length < 2) return found;
    return [...found, ...[...this.postings.keys()].filter(known => known !== word && known.startsWith(word))];
  }

  find(query) {
    const asked = words(query), scores = new Map(), met = new Map();
    asked.forEach((word, place) => {
      const best = new Map();
      for (const known of this.meant(word, place === asked.length - 1)) {
        const list = this.postings.get(known);
        const idf = Math.log(1 + (this.parts.length - list.size + 0.5) / (list.size + 0.5));
        for (const [part, count] of list) {
          const length = 1 - B + B * this.lengths[part] / this.average;
          const score = (known === word ? 1 : BEGUN) * idf * count / (count + K1 * length);
          if (score > (best.get(part) ?? 0)) best.set(part, score);
        }
      }
      for (const [part, score] of best) {
        scores.set(part, (scores.get(part) ?? 0) + score);
        met.set(part, (met.get(part) ?? 0) + 1);
      }
    });
    const named = part => !this.parts[part][2] && words(this.parts[part][1]).join() === asked.join();
    const ranked = [...scores].sort(([one, a], [other, b]) =>
      named(other) - named(one) || met.get(other) - met.get(one) || b - a || one - other);
    const shown = new Map(); // how many parts of each page
    return ranked.map(([part]) => this.parts[part]).filter(([address]) => {
      const page = address.split("#")[0];
      shown.set(page, (shown.get(page) ?? 0) + 1);
      return shown.get(page) <= OF_A_PAGE;
    }).slice(0, MOST);
  }
}

let loading;
function load() {
  loading ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = `${base}/${INDEX}`;
    script.onload = () => done(new Search(window.searchIndex));
    script.onerror = () => failed(new Error("the index of these pages cannot be loaded"));
    document.head.append(script);
  });
  return loading;
}

function node(name, text, parent) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  parent?.append(made);
  return made;
}

// The text around the first word of the query, with all of these marked.
function passage(text, query) {
  const asked = words(query);
  const lower = text.toLowerCase();
  const at = Math.max(0, Math.min(...asked.map(word => lower.indexOf(word)).filter(place => place >= 0), text.length) - AROUND / 2);
  const start = at >= text.length ? 0 : at;
  const shown = (start ? "… " : "") + text.slice(start, start + 2 * AROUND) + (start + 2 * AROUND < text.length ? " …" : "");
  const made = node("span");
  const marks = asked.length ? new RegExp(`(${asked.map(word => word.replace(/[^\p{L}\p{N}]/gu, "")).join("|")})`, "giu") : null;
  shown.split(marks ?? /$^/).forEach((piece, number) => made.append(number % 2 ? node("mark", piece) : piece));
  return made;
}

function show(found, query, box) {
  box.replaceChildren();
  box.hidden = false;
  if (!found.length) {
    node("p", "Nothing is found.", box);
    return;
  }
  const list = node("ol", "", box);
  for (const [address, title, heading, text] of found) {
    const link = node("a", "", node("li", "", list));
    link.href = `${base}/${address}`;
    node("strong", heading ? `${title} · ${heading}` : title, link);
    link.append(passage(text, query));
  }
}

// What has to be scrolled can be reached by keyboard.
function reachable() {
  for (const one of document.querySelectorAll("main :is(pre, table)")) {
    if (one.scrollWidth > one.clientWidth) one.tabIndex = 0;
    else one.removeAttribute("tabindex");
  }
}

document.addEventListener("DOMContentLoaded", () => {
  reachable();
  addEventListener("resize", reachable);
  document.documentElement.classList.add("scripted");
  const menu = document.querySelector(".menu"), pages = document.querySelector(".pages");
  menu.hidden = false;
  menu.addEventListener("click", () => {
    const shown = pages.classList.toggle("shown");
    menu.setAttribute("aria-expanded", String(shown));
  });
  document.querySelector(".pages [aria-current]")?.scrollIntoView({ block: "nearest" });

  const search = document.querySelector(".search"), input = document.querySelector("#query"), box = document.querySelector("#found");
  search.hidden = false;
  const ask = async () => {
    const query = input.value;
    if (!words(query).length) {
      box.hidden = true;
      return;
    }
    try {
      const index = await load();
      if (input.value === query) show(index.find(query), query, box);
    } catch (error) {
      box.hidden = false;
      box.replaceChildren(node("p", error.message));
    }
  };
  input.addEventListener("focus", () => load().catch(() => {}));
  input.addEventListener("input", ask);
  search.addEventListener("keydown", event => {
    const links = [...box.querySelectorAll("a")], place = links.indexOf(document.activeElement);
    if (event.key === "Escape") {
      box.hidden = true;
      input.focus();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const next = place + (event.key === "ArrowDown" ? 1 : -1);
      (next < 0 ? input : links[Math.min(next, links.length - 1)])?.focus();
    } else if (event.key === "Enter" && event.target === input) {
      links[0]?.click();
    }
  });
  document.addEventListener("click", event => {
    if (!search.contains(event.target)) box.hidden = true;
  });
  document.addEventListener("keydown", event => {
    if (event.key === "/" && !/^(input|textarea|select)$/i.test(event.target.tagName)) {
      event.preventDefault();
      input.focus();
    }
  });
});
