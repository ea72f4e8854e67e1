// The colours of a map: one for each label, or a scale for relevance; for light and for dark paper.
// They stay apart for the colour-blind (after Paul Tol's "muted" and "light" schemes).

const LABELS = {
  light: ["#332288", "#cc6677", "#117733", "#b58a00", "#2b8cbe", "#882255", "#44aa99", "#d95f02", "#aa4499", "#666622"],
  dark: ["#77aadd", "#ee8866", "#44bb99", "#eedd88", "#ffaabb", "#bbcc33", "#99ddff", "#c9a3ff", "#ff7777", "#d0b48a"],
};
const SCALE = {
  light: ["#d3dae3", "#7fb0c9", "#2a7f9e", "#23477f", "#3b0f55"],
  dark: ["#3d4754", "#3f6d8f", "#3aa08d", "#9bd04c", "#fde725"],
};
const OTHER = { light: "#8b95a1", dark: "#77818d" };
const NONE = { light: "#c3cad2", dark: "#4b545f" };
const PLAIN = { light: "#3b76b8", dark: "#7fb0ea" };
const BEND = 2; // colours go by rank, and more of them to the better ones: scores crowd, ranks do not
const STEPS = 32;
const MOST_COLOURS = 10;

function parts(hex) {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}

function scale(stops) {
  return Array.from({ length: STEPS }, (_, step) => {
    const at = (step / (STEPS - 1)) * (stops.length - 1);
    const low = Math.min(Math.floor(at), stops.length - 2);
    const [one, two] = [parts(stops[low]), parts(stops[low + 1])];
    return one.map((value, channel) => Math.round(value + (two[channel] - value) * (at - low)));
  });
}

/** Return a colour as CSS and pictures take it. */
export function css([red, green, blue]) {
  return `rgb(${red} ${green} ${blue})`;
}

/** Say which group of colour each document is in; groups are drawn in their order, the last on top. */
export function colouring(drawn, colour, dark) {
  const theme = dark ? "dark" : "light";
  const group = new Uint8Array(drawn.x.length);
  if (colour === "relevance") {
    if (!drawn.relevance) return { kind: "plain", group, colours: [parts(PLAIN[theme])] };
    const { relevance } = drawn;
    const sorted = Float64Array.from(relevance).sort();
    const order = Uint32Array.from(relevance.keys()).sort((a, b) => relevance[a] - relevance[b]);
    const last = Math.max(1, order.length - 1);
    order.forEach((i, rank) => { group[i] = Math.round((rank / last) ** BEND * (STEPS - 1)); });
    const told = [0, 0.5, 1].map((part) => sorted[Math.round(part ** (1 / BEND) * (sorted.length - 1))]);
    return { kind: "relevance", group, colours: scale(SCALE[theme]), told };
  }
  const named = Math.min(drawn.labels.length, MOST_COLOURS);
  const counts = new Array(named + 2).fill(0);
  drawn.label.forEach((label, i) => {
    group[i] = label < 0 ? 0 : label < named ? named + 1 - label : 1; // none, others, then the rarest first
    counts[group[i]] += 1;
  });
  const colours = [parts(NONE[theme]), parts(OTHER[theme]), ...LABELS[theme].slice(0, named).map(parts).reverse()];
  const entries = Array.from({ length: named }, (_, at) => ({ name: drawn.labels[at], group: named + 1 - at }));
  entries.push({ name: "all others", group: 1, told: true }, { name: "without one", group: 0, told: true });
  const some = entries.filter((entry) => counts[entry.group]).map((entry) => ({ ...entry, count: counts[entry.group] }));
  return { kind: "labels", group, colours, entries: some };
}
