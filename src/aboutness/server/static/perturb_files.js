// Passages from a user's file, read in the browser, and into one.
import { el } from "./common.js";

const MOST_BYTES = 2_000_000;

function fromObject(found, name) {
  if (Array.isArray(found)) return found.map((one, at) => fromRecord(one, at));
  if (found === null || typeof found !== "object") throw new Error(`${name}: there must be an object of names and texts.`);
  return Object.entries(found).map(([key, text]) => {
    if (typeof text !== "string") throw new Error(`${name}: the passage “${key}” must be a text.`);
    return { name: key, text };
  });
}

function fromRecord(record, at) {
  if (typeof record === "string") return { name: `Passage ${at + 1}`, text: record };
  const { id, ...fields } = record ?? {};
  const text = typeof fields.text === "string" ? fields.text : Object.values(fields).filter((one) => typeof one === "string").join("\n");
  if (!text.trim()) throw new Error(`Passage ${at + 1} has no text; each needs {"id": …, "text": …}.`);
  return { name: String(id ?? `Passage ${at + 1}`), text };
}

function parsed(text, name) {
  const ending = name.toLowerCase().split(".").pop();
  try {
    if (ending === "json") return fromObject(JSON.parse(text), name);
    if (ending === "jsonl" || ending === "ndjson") {
      return text.split("\n").filter((line) => line.trim()).map((line, at) => fromRecord(JSON.parse(line), at));
    }
  } catch (error) {
    if (error instanceof SyntaxError) throw new Error(`${name} is no JSON: ${error.message}`);
    throw error;
  }
  return text.split(/\r?\n\s*\r?\n/).filter((one) => one.trim()).map((one, at) => ({ name: `Passage ${at + 1}`, text: one.trim() }));
}

/** Return the passages of a file: .json {name: text}, .jsonl {"id", "text"}, or texts between blank lines. */
export async function passagesIn(file, limits) {
  if (file.size > MOST_BYTES) throw new Error(`${file.name} is too large: at most 2 MB can be read.`);
  const passages = parsed((await file.text()).replace(/^\uFEFF/, ""), file.name);
  if (!passages.length) throw new Error(`${file.name} has no passage.`);
  if (passages.length > limits.passages) {
    throw new Error(`${file.name} has ${passages.length} passages; at most ${limits.passages} are scored at once.`);
  }
  const long = passages.find((one) => one.text.length > limits.characters);
  if (long) throw new Error(`The passage “${long.name}” is longer than ${limits.characters.toLocaleString("en")} characters.`);
  return passages;
}

/** Let the user keep passages as a file that can be loaded again, here or by `aboutness perturb`. */
export function savePassages(passages) {
  const lines = passages.map(({ name, text }) => `${JSON.stringify({ id: name, text })}\n`);
  const address = URL.createObjectURL(new Blob(lines, { type: "application/x-ndjson" }));
  el("a", { href: address, download: "passages.jsonl" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
