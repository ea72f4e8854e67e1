"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const made = (tag, text = "", name = "") => {
    const element = document.createElement(tag);
    element.textContent = text;
    if (name) element.className = name;
    return element;
  };
  const number = (value) => value === null ? "" : value.toFixed(4);

  // --- tables can be sorted --------------------------------------------------------------------------------

  function value(row, column) {
    const cell = row.cells[column];
    const plain = cell.dataset.v ?? cell.textContent.trim();
    const numeric = plain === "" ? NaN : Number(plain);
    return Number.isNaN(numeric) ? plain : numeric;
  }

  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return a.localeCompare(b, undefined, { numeric: true });
  }

  function sort(table, column) {
    const head = table.tHead.rows[0].cells[column];
    const first = head.classList.contains("n") ? "descending" : "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const order = head.getAttribute("aria-sort") === first ? other : first;
    for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
    const body = table.tBodies[0];
    for (const row of body.querySelectorAll("tr.found")) close(row);
    const sign = order === "ascending" ? 1 : -1;
    body.append(...[...body.rows].sort((a, b) => sign * compare(value(a, column), value(b, column))));
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    for (const cell of table.tHead.rows[0].cells) {
      const button = made("button", cell.textContent);
      button.type = "button";
      cell.replaceChildren(button);
      button.addEventListener("click", () => sort(table, cell.cellIndex));
    }
  }

  // --- queries one by one ----------------------------------------------------------------------------------

  function close(row) {
    row.previousElementSibling.querySelector("button").setAttribute("aria-expanded", "false");
    row.remove();
  }

  function documents(part, query, ranker) {
    const list = made("span");
    (part.first[ranker]?.[query] ?? []).forEach(([place, grade], at) => {
      if (at) list.append(", ");
      const one = made("bdi", part.documents[place], grade > 0 ? "hit" : "");
      if (grade !== null) one.title = `grade ${grade}`;
      list.append(one);
    });
    return list;
  }

  function open(part, row, query) {
    const found = made("tr", "", "found"), cell = found.insertCell();
    cell.colSpan = row.cells.length;
    if (part.texts[query]) {
      const text = made("p", part.texts[query]);
      text.dir = "auto";
      cell.append(text);
    }
    cell.append(made("p", `${part.relevant[query]} relevant documents; ✓ marks them among the first of each ranker`, "soft"));
    const table = made("table"), head = table.createTHead().insertRow();
    for (const name of ["ranker", ...part.measures, ...(part.first.length ? ["first documents"] : [])]) head.append(made("th", name));
    const body = table.createTBody();
    part.rankers.forEach((name, ranker) => {
      const line = body.insertRow();
      line.append(made("th", name));
      for (const values of part.values) line.insertCell().textContent = number(values[ranker][query]);
      if (part.first.length) line.insertCell().append(documents(part, query, ranker));
    });
    cell.append(table);
    row.after(found);
  }

  function fill(part, rows, measure) {
    const values = part.values[measure];
    rows.forEach((row) => {
      const query = Number(row.dataset.q), cells = [...row.cells].slice(1);
      const here = values.map((of) => of[query]), high = Math.max(...here), low = Math.min(...here);
      here.forEach((one, ranker) => {
        cells[ranker].textContent = number(one);
        cells[ranker].className = one === high && high > low ? "n high" : "n";
      });
      cells[here.length].textContent = number(high - low);
    });
  }

  document.querySelectorAll("details.queries").forEach((box) => {
    const part = data[Number(box.dataset.part)], table = box.querySelector("table");
    const rows = [...table.tBodies[0].rows];
    for (const row of rows) {
      const button = made("button"), head = row.cells[0];
      button.type = "button";
      button.setAttribute("aria-expanded", "false");
      button.append(...head.childNodes);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        if (row.nextElementSibling?.classList.contains("found")) return close(row.nextElementSibling);
        button.setAttribute("aria-expanded", "true");
        open(part, row, Number(row.dataset.q));
      });
    }
    const controls = box.querySelector(".controls"), [choice, search] = controls.querySelectorAll("select, input");
    controls.hidden = false;
    choice.addEventListener("change", () => fill(part, rows, Number(choice.value)));
    search.addEventListener("input", () => {
      const wanted = search.value.toLowerCase();
      for (const row of table.tBodies[0].querySelectorAll("tr.found")) close(row);
      for (const row of rows) {
        const query = Number(row.dataset.q), text = `${part.queries[query]} ${part.texts[query] ?? ""}`.toLowerCase();
        row.hidden = !text.includes(wanted);
      }
    });
    fill(part, rows, Number(choice.value));
  });
})();
