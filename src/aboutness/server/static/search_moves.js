// Lines between neighbouring rankers that show how documents move, and the same document marked everywhere.

import { svg } from "./common.js";

const END = 7; // where the line of a document ends that the neighbour does not find

/** Draw the lines in all gaps anew. */
export function drawMoves(columns) {
  for (const lines of columns.querySelectorAll("svg.moves")) draw(lines);
}

/** Make the gap before a column, in which lines are drawn. */
export function gap() {
  return svg("svg", { class: "moves", "aria-hidden": "true" });
}

function draw(lines) {
  const { top, width, height } = lines.getBoundingClientRect();
  lines.replaceChildren();
  if (!width || !height) return; // on a phone hits say in words how they moved
  const column = lines.parentElement;
  const left = places(column.previousElementSibling, top);
  const right = places(column, top);
  lines.setAttribute("viewBox", `0 0 ${width} ${height}`);
  for (const [id, from] of left) {
    const to = right.get(id);
    if (to) {
      const way = to.rank < from.rank ? "up" : to.rank > from.rank ? "down" : "same";
      const d = `M0 ${from.y} C${width / 2} ${from.y} ${width / 2} ${to.y} ${width} ${to.y}`;
      lines.append(svg("path", { d, dataset: { id, way } }));
    } else {
      lines.append(end(id, "gone", 0, END, from.y));
    }
  }
  for (const [id, { y }] of right) if (!left.has(id)) lines.append(end(id, "new", width, width - END, y));
}

function end(id, way, from, to, y) {
  return svg(
    "g",
    { dataset: { id, way } },
    svg("path", { d: `M${from} ${y} H${to}` }),
    svg("circle", { cx: to, cy: y, r: 3.5 }),
  );
}

/** Return by document where its hit stands, measured from a height. */
function places(column, top) {
  const found = new Map();
  for (const [at, hit] of [...column.querySelectorAll(".hit")].entries()) {
    const { top: upper, height } = hit.querySelector(".rank").getBoundingClientRect();
    found.set(hit.dataset.id, { rank: at, y: Math.round(upper - top + Math.min(height, 28) / 2) });
  }
  return found;
}

/** Mark the document that is pointed at, or has the focus, in all columns; draw anew where the page's width changes. */
export function followDocuments(columns) {
  const mark = (event) => {
    const id = event.target.closest?.(".hit, [data-id]")?.dataset.id;
    columns.classList.toggle("following", id !== undefined);
    for (const one of columns.querySelectorAll("[data-id]")) one.classList.toggle("same", one.dataset.id === id);
  };
  columns.addEventListener("pointerover", mark);
  columns.addEventListener("focusin", mark);
  columns.addEventListener("pointerleave", mark);
  let frame = 0;
  new ResizeObserver(() => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => drawMoves(columns));
  }).observe(columns);
}
