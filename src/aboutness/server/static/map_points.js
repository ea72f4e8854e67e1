// Many points on a canvas, written as pixels: 20,000 of them take a few milliseconds.

const ALPHA = 0.82; // so that crowds look denser
const DIMMED = 0.1;

/** Return a dot as pixels: where they are about its middle, and how much of each it covers. */
function dot(radius) {
  const reach = Math.ceil(radius);
  const pixels = [];
  for (let y = -reach; y <= reach; y += 1) {
    for (let x = -reach; x <= reach; x += 1) {
      const cover = Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(x, y)));
      if (cover > 0) pixels.push({ x, y, cover });
    }
  }
  return { reach, pixels };
}

/** Return points in the order of their groups. */
export function inOrder(group) {
  const starts = new Uint32Array(257);
  for (const one of group) starts[one + 1] += 1;
  for (let at = 1; at < 257; at += 1) starts[at] += starts[at - 1];
  const order = new Uint32Array(group.length);
  group.forEach((one, i) => { order[starts[one]] = i; starts[one] += 1; });
  return order;
}

/** Draws points into an image of the size of the canvas. */
export class Painter {
  resize(context, width, height) {
    this.image = context.createImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  /** Paint x * scale + left, top - y * scale; `only` is the group that is not dimmed, if there is one. */
  paint({ x, y, order, group, colours }, { scale, left, top }, radius, paper, only) {
    const { width, height } = this.image;
    const pixels = this.pixels;
    pixels.fill(packed(paper));
    const { reach, pixels: dots } = dot(radius);
    const offsets = Int32Array.from(dots, (one) => one.y * width + one.x);
    const [right, bottom] = [width - reach - 1, height - reach - 1];
    const covers = [DIMMED, ALPHA].map((alpha) => Int32Array.from(dots, (one) => Math.round(one.cover * alpha * 256)));
    for (let at = 0; at < order.length; at += 1) {
      const i = order[at];
      const column = Math.round(x[i] * scale + left);
      const row = Math.round(top - y[i] * scale);
      if (column < reach || column > right || row < reach || row > bottom) continue;
      const colour = colours[group[i]];
      const red = colour[0], green = colour[1], blue = colour[2];
      const cover = covers[only === null || only === group[i] ? 1 : 0];
      const middle = row * width + column;
      for (let part = 0; part < offsets.length; part += 1) {
        const where = middle + offsets[part];
        const under = pixels[where];
        const share = cover[part];
        const r = under & 255, g = (under >> 8) & 255, b = (under >> 16) & 255;
        pixels[where] = 0xff000000
          | ((b + (((blue - b) * share) >> 8)) << 16)
          | ((g + (((green - g) * share) >> 8)) << 8)
          | (r + (((red - r) * share) >> 8));
      }
    }
    return this.image;
  }
}

function packed([red, green, blue]) {
  return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
}

/** Finds the point next to a place, by cells of a grid. */
export class Grid {
  constructor(x, y) {
    [this.x, this.y] = [x, y];
    const side = this.side = Math.max(1, Math.ceil(Math.sqrt(x.length / 2)));
    const ends = (values) => values.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
    [this.left, this.right] = ends(x);
    [this.bottom, this.top] = ends(y);
    this.wide = (this.right - this.left) / side || 1;
    this.high = (this.top - this.bottom) / side || 1;
    this.starts = new Uint32Array(side * side + 1);
    const cells = Uint32Array.from(x, (_, i) => this.row(y[i]) * side + this.column(x[i]));
    for (const cell of cells) this.starts[cell + 1] += 1;
    for (let at = 0; at < side * side; at += 1) this.starts[at + 1] += this.starts[at];
    const next = this.starts.slice();
    this.points = new Uint32Array(x.length);
    cells.forEach((cell, i) => { this.points[next[cell]] = i; next[cell] += 1; });
  }

  column(x) {
    return Math.min(this.side - 1, Math.max(0, Math.floor((x - this.left) / this.wide)));
  }

  row(y) {
    return Math.min(this.side - 1, Math.max(0, Math.floor((y - this.bottom) / this.high)));
  }

  /** Return the point next to a place, within a reach; -1 where there is none. */
  nearest(x, y, reach) {
    let best = -1;
    let least = reach * reach;
    for (let row = this.row(y - reach); row <= this.row(y + reach); row += 1) {
      for (let cell = row * this.side + this.column(x - reach); cell <= row * this.side + this.column(x + reach); cell += 1) {
        for (let at = this.starts[cell]; at < this.starts[cell + 1]; at += 1) {
          const i = this.points[at];
          const distance = (this.x[i] - x) ** 2 + (this.y[i] - y) ** 2;
          if (distance <= least) [best, least] = [i, distance];
        }
      }
    }
    return best;
  }
}
