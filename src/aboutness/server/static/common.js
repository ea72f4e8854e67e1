// What the pages' scripts share: building nodes (never from HTML), asking the server, and showing how that goes.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
    } else if (name === "dataset") {
      Object.assign(node.dataset, value);
    } else if (name === "style") {
      throw new Error("styles belong into the style sheet, or are set property by property");
    } else {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

/** Make an element: el("a", {href: "/"}, "text", other nodes). Texts become text nodes. */
export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for a picture's elements. */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** What the server says it cannot do. */
class Problem extends Error {
  constructor(message, status, after) {
    super(message);
    this.status = status;
    this.after = after;
  }
}

/** Ask the server; `body` is sent as JSON. Returns what it answers, or throws a Problem with a message to show. */
export async function ask(path, { method, body, signal } = {}) {
  let response;
  try {
    response = await fetch(path, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("The server does not answer. Is it still running?", 0);
  }
  if (response.status === 401) {
    const here = location.pathname + location.search;
    location.assign(`/login?to=${encodeURIComponent(here)}`);
  }
  const kind = response.headers.get("Content-Type") ?? "";
  const answer = kind.startsWith("application/json") ? await response.json() : await response.text();
  if (!response.ok) {
    throw new Problem(answer?.message ?? "The server could not answer.", response.status, response.headers.get("Retry-After"));
  }
  return answer;
}

/** Return a function that calls another once nobody has called it for some milliseconds. */
export function debounce(call, milliseconds) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...given), milliseconds);
  };
}

/** Show how things stand: kind is "loading", "error", "empty" or "ok" (nothing is shown). */
export function status(target, kind, ...content) {
  target.replaceChildren();
  target.classList.add("state");
  target.setAttribute("role", kind === "error" ? "alert" : "status");
  if (kind === "ok") {
    delete target.dataset.kind;
    target.hidden = true;
    return;
  }
  target.dataset.kind = kind;
  target.hidden = false;
  target.append(...content);
}

/** Return a text's code points, by which the server counts: JavaScript counts some characters twice. */
function codePoints(text) {
  return Array.from(text);
}

/** Return a text as nodes, marked from each start to before its end: offsets in code points, as the server tells them. */
export function marked(text, marks) {
  const points = codePoints(text);
  const breaks = joints(text);
  const plain = (from, to) => {
    const cuts = breaks.filter((place) => from < place && place <= to);
    const pieces = [from, ...cuts].map((start, i) => points.slice(start, cuts[i] ?? to).join(""));
    return pieces.flatMap((piece, i) => (i ? [el("wbr"), piece] : [piece]));
  };
  const nodes = [];
  let at = 0;
  for (const [start, end] of marks) {
    nodes.push(...plain(at, start), el("mark", {}, ...plain(start, end)));
    at = end;
  }
  return [...nodes, ...plain(at, points.length)];
}

/** Return where long names such as lzma.LZMACompressor.compress(data) may be broken, behind a dot or the like, in code points, as pages/search.py does. */
function joints(text) {
  const places = [];
  let place = 0;
  for (const piece of text.split(/(?<=\S{4}[./_(])(?=\S{3})/u)) places.push((place += codePoints(piece).length));
  return places.slice(0, -1);
}

/** Return the address with other parameters: null, "" and [] leave one out, lists give one for each value. */
export function withQuery(parameters, path = location.pathname) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== "") query.append(name, one);
    }
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

/** Have the address say what is shown, so that it can be shared; tell whether it said something else. */
export function setQuery(parameters, { push = false } = {}) {
  const address = withQuery(parameters);
  if (address === location.pathname + location.search) return false;
  history[push ? "pushState" : "replaceState"](null, "", address);
  return true;
}

/**
 * Have the address follow what is typed, as one step for the back button until it is done: `follow` takes what the
 * address is to say, `done` ends the step. Returns both.
 */
export function stepping() {
  let typing = false;
  return {
    follow(parameters) {
      const before = location.search;
      setQuery(parameters, { push: !typing });
      typing ||= location.search !== before;
    },
    done() {
      typing = false;
    },
  };
}

/** Return a number with four digits that count. */
export function number(value) {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1e6 || size < 1e-4 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
}

/** Return the name of the index that the page is about, or null where there is no choice. */
export function indexName() {
  return document.body.dataset.index ?? null;
}

/** Return the data that the server put into the page. */
export function pageData(id = "data") {
  return JSON.parse(document.getElementById(id).textContent);
}
