"use strict";
(() => {
  const get = (id) => document.getElementById(id);
  const shown = (count) => count.toLocaleString("en");
  const data = JSON.parse(get("data").textContent);
  const ranker = get("ranker"), slider = get("threshold"), tip = get("tip");
  const limits = data.rankers.map((one) => one.threshold && one.threshold[0]);
  const cards = [...document.querySelectorAll("article")].map((card) => {
    const kinds = []; // the elements of each kind of word
    for (const word of card.querySelectorAll(".w")) (kinds[word.dataset.k] ??= []).push(word);
    return { card, kinds, looks: [] };
  });

  // --- marks -----------------------------------------------------------------------------------------------

  function look([strength, similarity, own], mode, limit) {
    if (mode === "evidence") return [own ? "w own" : similarity !== null && similarity > limit ? "w over" : "w", 0];
    const sign = strength > 0 ? " pos" : strength < 0 ? " neg" : "";
    return ["w" + sign + (own ? " own" : ""), Math.abs(strength)];
  }

  function paint(fresh = false) { // the page comes painted
    const chosen = Number(ranker.value), limit = limits[chosen], mode = document.body.dataset.mode;
    cards.forEach(({ card, kinds, looks }, number) => {
      const marks = data.documents[number][chosen].marks;
      let over = 0, known = 0, own = 0;
      kinds.forEach((words, kind) => {
        const mark = marks[kind];
        if (mark[2]) own += words.length;
        else if (mark[1] !== null) {
          known += words.length;
          if (mark[1] > limit) over += words.length;
        }
        const [name, strength] = look(mark, mode, limit);
        const before = looks[kind];
        looks[kind] = name + strength;
        if (looks[kind] === before || fresh) return;
        for (const word of words) {
          word.className = name;
          word.style.setProperty("--s", strength);
        }
      });
      card.querySelector(".count").textContent =
        limit === null ? "" : `${shown(over)} of ${shown(known)} words are over this similarity, besides ${shown(own)} of the query’s own`;
    });
  }

  function choose(fresh = false) { // a browser may come with choices made before
    const chosen = Number(ranker.value), range = data.rankers[chosen].threshold;
    for (const one of document.querySelectorAll("section[data-r]")) one.hidden = Number(one.dataset.r) !== chosen;
    for (const one of document.querySelectorAll("tr[data-r]")) {
      if (Number(one.dataset.r) === chosen) one.setAttribute("aria-current", "true");
      else one.removeAttribute("aria-current");
    }
    get("modes").hidden = !range;
    const mode = range ? document.querySelector("input[name=mode]:checked").value : "share";
    document.body.dataset.mode = mode;
    for (const one of document.querySelectorAll(".legend")) one.hidden = one.dataset.for !== mode;
    get("limit").hidden = mode !== "evidence";
    if (range) {
      [slider.min, slider.max] = [range[1], range[2]];
      slider.value = limits[chosen];
      get("shown").textContent = Number(slider.value).toFixed(3);
    }
    hide();
    paint(fresh && chosen === 0 && mode === "share");
  }

  let waiting = 0;
  slider.addEventListener("input", () => {
    limits[Number(ranker.value)] = Number(slider.value);
    get("shown").textContent = Number(slider.value).toFixed(3);
    waiting ||= requestAnimationFrame(() => { waiting = 0; paint(); });
  });
  get("controls").addEventListener("change", (event) => { if (event.target !== slider) choose(); });

  // --- what a word's mark comes from -----------------------------------------------------------------------

  let told = null, leaving = 0;

  function line(table, name, value) {
    const row = table.insertRow(), head = document.createElement("th");
    head.scope = "row";
    head.textContent = name;
    row.append(head);
    row.insertCell().textContent = value;
  }

  function tell(word) {
    clearTimeout(leaving);
    if (told === word) return;
    hide();
    const number = cards.findIndex(({ card }) => card.contains(word));
    const { details, parts, marks } = data.documents[number][Number(ranker.value)];
    const [, , own, share, places] = marks[word.dataset.k];
    const tables = places.slice(0, 12).map((place) => {
      const [name, by, value, ...numbers] = parts[place], table = document.createElement("table");
      table.createCaption().textContent = by ? `${name} (${by})` : name;
      line(table, "adds", value);
      details.forEach((detail, at) => { if (numbers[at] !== "") line(table, detail, numbers[at]); });
      return table;
    });
    const here = document.createElement("table");
    here.createCaption().textContent = own ? "a word of the query" : "";
    line(here, "this occurrence adds", places.length ? share : "nothing");
    if (places.length > 12) line(here, "more parts", places.length - 12);
    tip.replaceChildren(...tables, here);
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

  const wordOf = (event) => event.target.closest?.("article .w");
  const leave = () => { clearTimeout(leaving); leaving = setTimeout(hide, 150); };
  document.addEventListener("mouseover", (event) => {
    const word = wordOf(event);
    if (word) tell(word);
    else if (tip.contains(event.target)) clearTimeout(leaving);
    else if (told && told !== document.activeElement) leave();
  });
  document.addEventListener("click", (event) => {
    const word = wordOf(event);
    if (word) tell(word);
    else if (!tip.contains(event.target)) hide();
  });
  document.addEventListener("focusin", (event) => { const word = wordOf(event); if (word) tell(word); else hide(); });
  document.addEventListener("scroll", (event) => { if (!tip.contains(event.target)) hide(); }, true);

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hide();
    const card = event.target.closest?.(".text");
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!card || !step || event.altKey || event.ctrlKey || event.metaKey) return;
    const words = [...card.querySelectorAll(".w")], now = words.indexOf(event.target);
    const next = words[now < 0 ? (step > 0 ? 0 : words.length - 1) : now + step];
    if (!next) return;
    event.preventDefault();
    next.tabIndex = -1;
    next.scrollIntoView({ block: "nearest" });
    next.focus({ preventScroll: true });
    requestAnimationFrame(() => tell(next)); // after the scrolling, which hides what was told
  });

  if (data.rankers.length > 0) {
    get("controls").hidden = false;
    ranker.closest("label").hidden = data.rankers.length < 2;
    choose(true);
  }
})();
