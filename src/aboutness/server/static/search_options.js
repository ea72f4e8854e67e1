// What is asked besides words and rankers: filters as chips, and fields as boxes with weights.

import { el } from "./common.js";

export class Filters {
  list;
  #input = document.getElementById("where");
  #chips = document.getElementById("filters");
  #tell;

  constructor(list, tell) {
    this.#tell = tell;
    this.set(list);
    this.#input.removeAttribute("name"); // the chips are asked, not what is being written
    document.getElementById("add-filter").addEventListener("click", (event) => {
      event.preventDefault();
      if (this.take()) tell();
    });
    this.#input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      if (this.take()) tell();
    });
  }

  /** Add what is written in the field; tell whether there was something. */
  take() {
    const condition = this.#input.value.trim();
    this.#input.value = "";
    if (!condition || this.list.includes(condition)) return false;
    this.set([...this.list, condition]);
    return true;
  }

  set(list) {
    this.list = [...list];
    this.#chips.replaceChildren(...this.list.map((condition) => this.#chip(condition)));
  }

  #chip(condition) {
    const click = () => {
      this.set(this.list.filter((one) => one !== condition));
      this.#input.focus();
      this.#tell();
    };
    const remove = el("button", { type: "button", class: "remove", "aria-label": `Remove the filter ${condition}`, on: { click } }, "×");
    return el("li", { class: "chip" }, el("bdi", { class: "text" }, condition), remove);
  }
}

export class Fields {
  text;
  #rows;
  #problem = document.getElementById("problem-fields");
  #tell;

  constructor(names, text, tell) {
    this.#tell = tell;
    this.#rows = names.map((name, at) => {
      const on = { input: () => this.#changed() };
      const box = el("input", { type: "checkbox", id: `field-${at}`, on });
      const weight = el("input", {
        type: "number", min: 0, max: 1000, step: "any", placeholder: "1", "aria-label": `Weight of ${name}`, on,
      });
      return { name, box, weight, label: el("label", { for: box.id, class: "text" }, name) };
    });
    const rows = this.#rows.map(({ box, weight, label }) => el("div", { class: "field" }, box, label, weight));
    document.getElementById("fields").replaceChildren(
      el("fieldset", {}, el("legend", {}, "Fields that count, and how much"), rows),
      this.#problem,
    );
    document.getElementById("fields").hidden = names.length === 0;
    this.set(text);
  }

  set(text) {
    this.text = text;
    const chosen = new Map(
      text.split("+").map((part) => {
        const star = part.lastIndexOf("*");
        return [part.slice(star + 1).trim(), star < 0 ? "" : part.slice(0, star).trim()];
      }),
    );
    for (const { name, box, weight } of this.#rows) {
      box.checked = !text || chosen.has(name);
      weight.value = chosen.get(name) ?? "";
      weight.disabled = !box.checked;
    }
  }

  #changed() {
    for (const { box, weight } of this.#rows) weight.disabled = !box.checked;
    const chosen = this.#rows.filter(({ box }) => box.checked);
    if (!chosen.length || chosen.some(({ weight }) => weight.value && Number(weight.value) <= 0)) {
      this.#problem.textContent = chosen.length ? "A weight must be above 0." : "Choose at least one field.";
      return;
    }
    const all = chosen.length === this.#rows.length && chosen.every(({ weight }) => !weight.value);
    this.text = all ? "" : chosen.map(({ name, weight }) => (weight.value ? `${weight.value}*${name}` : name)).join("+");
    this.#tell();
  }
}
