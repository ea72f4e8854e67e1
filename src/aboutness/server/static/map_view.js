// A map that can be moved and zoomed: by pointer, wheel, pinch, keys and from elsewhere.

import { css } from "./map_colours.js";
import { Grid, inOrder, Painter } from "./map_points.js";

const STEP = 1.5; // of zooming by a key or a button
const MOST_ZOOM = 400;
const MARGIN = 0.06;
const REACH = 12; // pixels about the pointer
const STILL = 5; // pixels that a pointer may move in a click

export class MapView {
  /** `told` is called with "over" and "chosen" and the number of a point, or -1. */
  constructor(canvas, told) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.told = told;
    this.painter = new Painter();
    this.points = { x: new Float64Array(), y: new Float64Array(), order: [], group: [], colours: [] };
    this.marks = { query: null, near: [], over: null, chosen: null };
    this.only = null;
    this.pointers = new Map();
    this.waiting = false;
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.listen();
  }

  // --- what is shown -----------------------------------------------------------------------------------

  setPlaces(x, y) {
    this.points = { ...this.points, x: Float64Array.from(x), y: Float64Array.from(y), order: [] };
    this.grid = new Grid(this.points.x, this.points.y);
    this.fit();
  }

  setColours(group, colours) {
    Object.assign(this.points, { group, colours, order: inOrder(group) });
    this.draw();
  }

  setMarks(marks) {
    Object.assign(this.marks, marks);
    if ("query" in marks && this.whole) this.fit(); // it may lie beyond all documents
    this.draw();
  }

  highlight(group) {
    this.only = group;
    this.draw();
  }

  setLook({ paper, ink, accent }) {
    this.look = { paper, ink, accent };
    this.draw();
  }

  // --- where -------------------------------------------------------------------------------------------

  resize() {
    const ratio = this.ratio = Math.min(2, globalThis.devicePixelRatio || 1);
    const [width, height] = [this.canvas.clientWidth * ratio, this.canvas.clientHeight * ratio].map(Math.round);
    if (!width || !height || (width === this.canvas.width && height === this.canvas.height && this.painter.image)) return;
    const middle = this.place && this.placeOf(this.canvas.width / 2, this.canvas.height / 2);
    [this.canvas.width, this.canvas.height] = [width, height];
    this.painter.resize(this.context, width, height);
    if (!middle || this.whole) this.fit();
    else this.centre(...middle);
  }

  fit() {
    if (!this.grid || !this.painter.image) return;
    const { left, right, top, bottom } = this.bounds();
    const { width, height } = this.canvas;
    const room = 1 - 2 * MARGIN;
    const scale = Math.min((width * room) / (right - left || 1), (height * room) / (top - bottom || 1));
    this.least = scale;
    this.place = { scale, left: 0, top: 0 };
    this.centre((left + right) / 2, (top + bottom) / 2);
    this.whole = true;
  }

  /** Return what is to be in sight: all documents, and the query. */
  bounds() {
    const { left, right, top, bottom } = this.grid;
    const { x = left, y = top } = this.marks.query ?? {};
    return { left: Math.min(left, x), right: Math.max(right, x), top: Math.max(top, y), bottom: Math.min(bottom, y) };
  }

  centre(x, y) {
    const { scale } = this.place;
    this.place = { scale, left: this.canvas.width / 2 - x * scale, top: this.canvas.height / 2 + y * scale };
    this.draw();
  }

  pan(right, down) {
    if (!this.place) return;
    this.whole = false;
    this.place = { ...this.place, left: this.place.left + right, top: this.place.top + down };
    this.draw();
  }

  /** Zoom about a place of the canvas, the middle unless said. */
  zoom(factor, column = this.canvas.width / 2, row = this.canvas.height / 2) {
    if (!this.place) return;
    this.whole = false;
    const scale = Math.min(this.least * MOST_ZOOM, Math.max(this.least / 2, this.place.scale * factor));
    const real = scale / this.place.scale;
    this.place = { scale, left: column - (column - this.place.left) * real, top: row - (row - this.place.top) * real };
    this.draw();
  }

  /** Have a place in sight. */
  show(x, y) {
    const [column, row] = this.pixelOf(x, y);
    const inside = column > 20 && row > 20 && column < this.canvas.width - 20 && row < this.canvas.height - 20;
    if (!inside) {
      this.whole = false;
      this.centre(x, y);
    }
  }

  pixelOf(x, y) {
    return [x * this.place.scale + this.place.left, this.place.top - y * this.place.scale];
  }

  placeOf(column, row) {
    return [(column - this.place.left) / this.place.scale, (this.place.top - row) / this.place.scale];
  }

  pointAt(column, row) {
    if (!this.place) return -1;
    return this.grid.nearest(...this.placeOf(column, row), (REACH * this.ratio) / this.place.scale);
  }

  // --- drawing -----------------------------------------------------------------------------------------

  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      if (!this.place || !this.painter.image || !this.look || !this.points.order.length) return;
      const start = performance.now();
      this.drawNow();
      this.canvas.dataset.milliseconds = (performance.now() - start).toFixed(2);
      this.canvas.dataset.frames = Number(this.canvas.dataset.frames ?? 0) + 1;
      this.canvas.dataset.zoom = (this.place.scale / this.least).toFixed(3);
    });
  }

  drawNow() {
    const { context, ratio, look } = this;
    const size = this.points.x.length > 8000 ? 1.6 : this.points.x.length > 2000 ? 2.2 : 3.4;
    const radius = Math.min(6, size * (this.place.scale / this.least) ** 0.2) * ratio;
    context.putImageData(this.painter.paint(this.points, this.place, radius, look.paper, this.only), 0, 0);
    context.lineCap = "round";
    for (const near of this.marks.near) this.ring(near, radius + 2.5 * ratio, look.ink, 1.8);
    if (this.marks.query) this.cross(this.marks.query, 8 * ratio);
    for (const one of [this.marks.over, this.marks.chosen]) {
      if (one) this.ring(one, radius + 5 * ratio, look.accent, 2.6);
    }
  }

  ring({ x, y }, radius, colour, width) {
    const [column, row] = this.pixelOf(x, y);
    const path = new Path2D();
    path.arc(column, row, radius, 0, 2 * Math.PI);
    this.stroke(path, colour, width);
  }

  /** The query. */
  cross({ x, y }, arm) {
    const [column, row] = this.pixelOf(x, y);
    const path = new Path2D();
    path.moveTo(column - arm, row);
    path.lineTo(column + arm, row);
    path.moveTo(column, row - arm);
    path.lineTo(column, row + arm);
    this.stroke(path, this.look.ink, 3.4);
  }

  /** Draw a line with a rim of paper, so that it is seen on any ground. */
  stroke(path, colour, width) {
    for (const [shade, more] of [[css(this.look.paper), 2.4], [colour, 0]]) {
      this.context.strokeStyle = shade;
      this.context.lineWidth = (width + more) * this.ratio;
      this.context.stroke(path);
    }
  }

  // --- pointers and keys -------------------------------------------------------------------------------

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [(event.clientX - box.left) * this.ratio, (event.clientY - box.top) * this.ratio];
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const lines = event.deltaMode ? 30 : 1;
      this.zoom(Math.exp(-Math.max(-200, Math.min(200, event.deltaY * lines)) * 0.0022), ...this.at(event));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, this.at(event));
      if (this.pointers.size === 1) this.moved = 0;
    });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
    canvas.addEventListener("pointerleave", () => this.told("over", -1));
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  move(event) {
    const here = this.at(event);
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      const point = this.pointAt(...here);
      this.canvas.classList.toggle("over", point >= 0);
      this.told("over", point, here.map((value) => value / this.ratio));
      return;
    }
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    this.pointers.set(event.pointerId, here);
    this.moved += Math.hypot(here[0] - before[0], here[1] - before[1]);
    if (others.length) {
      const [[column, row]] = others;
      const apart = (place) => Math.hypot(place[0] - column, place[1] - row) || 1;
      this.zoom(apart(here) / apart(before), column, row);
    } else if (this.moved > STILL) {
      this.canvas.classList.add("dragging");
      this.told("over", -1);
      this.pan(here[0] - before[0], here[1] - before[1]);
    }
  }

  up(event) {
    const alone = this.pointers.size === 1;
    this.pointers.delete(event.pointerId);
    this.canvas.classList.remove("dragging");
    if (alone && this.moved <= STILL) this.told("chosen", this.pointAt(...this.at(event)));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = 60 * this.ratio;
    const keys = {
      ArrowLeft: () => this.pan(step, 0),
      ArrowRight: () => this.pan(-step, 0),
      ArrowUp: () => this.pan(0, step),
      ArrowDown: () => this.pan(0, -step),
      "+": () => this.zoom(STEP),
      "=": () => this.zoom(STEP),
      "-": () => this.zoom(1 / STEP),
      0: () => this.fit(),
      n: () => this.told("next"),
      Enter: () => this.told("chosen", null),
      Escape: () => this.told("chosen", -1),
    };
    if (!(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  }
}
