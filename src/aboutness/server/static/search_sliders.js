// Sliders for the numbers of a ranker: weights, cuts and parameters, as the server finds them in its text.

import { el, number } from "./common.js";

export class Sliders {
  moved = new Map();
  #id;
  #tell;
  #rows = new Map(); // by place: its slider, and where the number stands
  #mixing = el("details", { class: "mixing", open: true }, el("summary", {}, "Weights and cuts"));
  #tuning = el("details", { class: "mixing" }, el("summary", {}, "Parameters"));

  constructor(id, tell) {
    this.#id = id;
    this.#tell = tell;
    this.nodes = [this.#mixing, this.#tuning];
    this.#build([]);
  }

  /** Forget what was moved and is in the ranker's text now; what was moved since stays. */
  answered(settings) {
    for (const [path, value] of settings) if (this.moved.get(path) === value) this.moved.delete(path);
  }

  show(places) {
    const same = places.length === this.#rows.size && places.every((place) => this.#fits(place));
    if (!same) this.#build(places);
    for (const { path, value } of places) {
      if (this.moved.has(path)) continue;
      const { slider, output } = this.#rows.get(path);
      slider.value = value;
      output.textContent = number(value);
    }
  }

  /** Tell whether there is a slider for a place already; its range stays the same while it is moved. */
  #fits({ path, label, value }) {
    const row = this.#rows.get(path);
    return row !== undefined && row.label === label && row.low <= value && value <= row.high;
  }

  #build(places) {
    this.#rows = new Map();
    const rows = places.map((place, at) => this.#row(place, `${this.#id}-${at}`));
    for (const details of this.nodes) {
      const own = rows.filter((row) => (row.dataset.kind === "parameter") === (details === this.#tuning));
      details.replaceChildren(details.firstChild, ...own);
      details.hidden = own.length === 0;
    }
  }

  #row({ path, kind, label, low, high, step, help }, id) {
    const slider = el("input", { id, type: "range", min: low, max: high, step, title: help });
    const output = el("output", { for: id });
    slider.addEventListener("input", () => {
      output.textContent = number(Number(slider.value));
      this.moved.set(path, slider.value);
      this.#tell();
    });
    this.#rows.set(path, { slider, output, label, low, high });
    return el("div", { class: "slider", dataset: { kind } }, el("label", { for: id, title: help }, label), slider, output);
  }
}
