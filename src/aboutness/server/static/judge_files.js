// The files of judging: queries and judgements (qrels) from text, and as text; as `aboutness` reads them.

const LARGEST_GRADE = 1023;
const SMALLEST_GRADE = -(2 ** 31);
const WHITE = /[\s\u0085]/;
const ENDS = /^[\s\u0085]+|[\s\u0085]+$/g;

function* filled(text) {
  let number = 0;
  for (const line of text.replace(/^\ufeff/, "").split("\n")) {
    number += 1;
    if (line.trim()) yield [number, line.replace(/\r$/, "")];
  }
}

function refuse(number, what) {
  throw new Error(`line ${number}: ${what}`);
}

function queryOfJson(number, line) {
  let record;
  try {
    record = JSON.parse(line);
  } catch {
    refuse(number, "this is no JSON object; each line must be one, with an id and a text");
  }
  const id = [record?._id, record?.id].find((one) => typeof one === "string" || Number.isInteger(one));
  if (id === undefined || typeof record.text !== "string") refuse(number, "a query must have an id (_id or id) and a text");
  return [String(id), record.text];
}

/** Return the queries of a file, [id, text] each: JSON lines, or lines of an id, a tab and the text. */
export function readQueries(text) {
  const found = new Map();
  const json = text.replace(/^\ufeff/, "").trimStart().startsWith("{");
  for (const [number, line] of filled(text)) {
    const tab = line.indexOf("\t");
    if (!json && tab < 0) refuse(number, "a query's line must hold an id, a tab and the text");
    const [name, asked] = json ? queryOfJson(number, line) : [line.slice(0, tab), line.slice(tab + 1)];
    const id = name.replace(ENDS, "");
    if (!id || !asked.trim()) refuse(number, "the id or the text of the query is empty");
    if (found.has(id)) refuse(number, `two queries have the id "${id}"`);
    found.set(id, asked.trim());
  }
  if (!found.size) throw new Error("there is no query in the file");
  return [...found];
}

/** Return queries as a text of lines of an id, a tab and the text, which is written in one line. */
export function writeQueries(queries) {
  return queries.map(({ id, text }) => `${id}\t${text.replace(/[\s\u0085]+/g, " ").trim()}\n`).join("");
}

/** Return judgements by query: {query: {document: grade}}; `query 0 document grade` a line, or without the 0. */
export function readQrels(text) {
  const found = new Map();
  let width = 0;
  let first = true;
  for (const [number, line] of filled(text)) {
    const trimmed = line.replace(ENDS, "");
    const columns = trimmed.includes("\t")
      ? line.split("\t").map((one) => one.replace(ENDS, ""))
      : trimmed.split(/[\s\u0085]+/);
    const last = columns.at(-1);
    const isNumber = /^-?\d{1,9}$/.test(last);
    const header = first && columns.length === 3 && !isNumber;
    first = false;
    if (header) continue;
    if (columns.length !== 3 && columns.length !== 4) {
      refuse(number, `a judgement has 3 or 4 columns, this line has ${columns.length}`);
    }
    if (width && columns.length !== width) {
      refuse(number, `the judgements before have ${width} columns, this line has ${columns.length}`);
    }
    width = columns.length;
    const grade = Number(last);
    if (!isNumber || grade > LARGEST_GRADE || grade < SMALLEST_GRADE) {
      refuse(number, `the grade must be a whole number of at most ${LARGEST_GRADE}, got "${last}"`);
    }
    const [query, document] = [columns[0], columns.at(-2)];
    if (!query || !document) refuse(number, "the query or document id is empty");
    if (!found.has(query)) found.set(query, new Map());
    const before = found.get(query).get(document);
    if (before !== undefined && before !== grade) {
      refuse(number, `document "${document}" is judged twice for query "${query}", with grades ${before} and ${grade}`);
    }
    found.get(query).set(document, grade);
  }
  if (!found.size) throw new Error("there is no judgement in the file");
  return found;
}

/**
 * Return judgements as a text of lines `query 0 document grade`, and what is to be said of it. Columns are separated
 * by tabs where an id has blanks; an id that begins or ends with a blank would not be read again and is left out.
 */
export function writeQrels(judged) {
  const rows = [];
  let left = 0;
  for (const [query, grades] of judged) {
    for (const [document, grade] of grades) {
      if (document.replace(ENDS, "") !== document) left += 1;
      else rows.push([query, "0", document, String(grade)]);
    }
  }
  const tabs = rows.some((row) => row.some((one) => WHITE.test(one)));
  const notes = [];
  if (tabs) notes.push("Some ids have blanks, so columns are separated by tabs: aboutness reads that, trec_eval does not.");
  if (left) notes.push(`${left} judgements are left out, because their ids begin or end with a blank.`);
  const text = rows.map((row) => `${row.join(tabs ? "\t" : " ")}\n`).join("");
  return { text, count: rows.length, note: notes.join(" ") };
}
