// The page of an index: jobs as they go on, training, and adding and deleting documents.

import { ask, el, indexName, number, pageData, status, withQuery } from "./common.js";

const EVERY = 1000; // milliseconds between two looks at jobs, while one is under way
const SLOW = 250; // milliseconds after which it is told that an answer is waited for
const TOLD = "aboutness.told";
const at = (id) => document.getElementById(id);
const data = pageData();
const index = indexName();
const underWay = (job) => job.state === "queued" || job.state === "running";

// --- jobs -----------------------------------------------------------------------------------------------------

let jobs = data.jobs;
let timer = null;

function timeLeft(seconds) {
  if (seconds === null) return "";
  if (seconds < 90) return `${Math.ceil(seconds)} s left`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min left` : `${number(seconds / 3600)} h left`;
}

function jobNode(job) {
  const name = job.name ?? job.kind;
  const share = `${Math.floor(job.progress * 100)} %`;
  const bar = job.state === "running" && job.kind !== "check";
  return el(
    "li",
    { "data-job": job.id },
    el(
      "div",
      { class: "line" },
      el("strong", { class: "text" }, name, job.kind !== name && el("span", { class: "muted small" }, ` ${job.kind}`)),
      job.index !== index && el("span", { class: "small muted text" }, job.index),
      el("span", { class: "chip", "data-state": job.state }, job.state),
    ),
    bar && el("div", { class: "bar" }, el("progress", { max: 1, value: job.progress, "aria-label": `Progress of ${name}` }), el("span", { class: "small muted" }, share)),
    el(
      "div",
      { class: "foot" },
      el("p", { class: "muted text" }, [job.message, bar ? timeLeft(job.seconds_left) : ""].filter(Boolean).join(" · ")),
      underWay(job) && data.train && el("button", { type: "button", class: "small", "data-cancel": job.id }, "Cancel", el("span", { class: "visually-hidden" }, ` ${name}`)),
      job.state === "done" && job.kind !== "check" && job.fresh && el("a", { href: location.href }, "Show the index as it is now"),
    ),
  );
}

function showJobs() {
  at("no-jobs").hidden = jobs.length > 0;
  const focused = document.activeElement?.dataset?.cancel;
  at("jobs").replaceChildren(...jobs.map(jobNode));
  if (focused) at("jobs").querySelector(`[data-cancel="${CSS.escape(focused)}"]`)?.focus();
  clearTimeout(timer);
  if (jobs.some(underWay)) timer = setTimeout(look, EVERY);
}

async function look() {
  try {
    const before = new Map(jobs.map((job) => [job.id, job]));
    jobs = (await ask("/v1/jobs")).map((job) => {
      const old = before.get(job.id);
      return { ...job, fresh: old?.fresh || (old ? underWay(old) : true) };
    });
    showJobs();
  } catch (error) {
    status(at("told"), "error", `${error.message} What is shown of the jobs may be old.`);
    timer = setTimeout(look, 5 * EVERY);
  }
}

async function start(asked) {
  const slow = setTimeout(() => status(at("told"), "loading", "Asking the server to begin…"), SLOW);
  try {
    await ask("/v1/jobs", { body: { index, ...asked } });
    clearTimeout(slow);
    status(at("told"), "ok");
    await look();
    at("jobs").scrollIntoView({ block: "nearest" });
  } catch (error) {
    clearTimeout(slow);
    status(at("told"), "error", error.message);
    at("told").scrollIntoView({ block: "nearest" });
  }
}

at("jobs").addEventListener("click", async (event) => {
  const button = event.target.closest("[data-cancel]");
  if (!button) return;
  button.disabled = true;
  try {
    await ask(withQuery({ id: button.dataset.cancel }, "/v1/jobs"), { method: "DELETE" });
  } catch (error) {
    status(at("told"), "error", error.message);
  }
  look();
});
at("check")?.addEventListener("click", () => start({ kind: "check" }));
for (const button of document.querySelectorAll("[data-again]")) {
  button.addEventListener("click", () => start(data.again[button.dataset.again]));
}

// --- training -------------------------------------------------------------------------------------------------

function showParameters() {
  const chosen = data.trainers.find((one) => one.name === at("kind").value);
  at("summary").textContent = `${chosen.summary} (${chosen.source})`;
  at("parameters").replaceChildren(
    ...chosen.parameters.map((one) => {
      const id = `parameter-${one.name}`;
      return el(
        "div",
        {},
        el("label", { for: id }, one.name),
        el("input", { id, name: one.name, placeholder: one.default ?? "", autocomplete: "off", "aria-describedby": `${id}-help` }),
        el("p", { class: "muted", id: `${id}-help` }, `${one.help} (${one.allowed})`),
      );
    }),
  );
}

function valueOf(text) {
  const value = Number(text);
  return Number.isNaN(value) ? text : value;
}

at("kind")?.addEventListener("change", showParameters);
at("train")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const inputs = [...at("parameters").querySelectorAll("input")].filter((one) => one.value.trim());
  start({
    kind: at("kind").value,
    name: at("name").value.trim() || null,
    parameters: Object.fromEntries(inputs.map((one) => [one.name, valueOf(one.value.trim())])),
    restart: at("train").elements.restart.checked,
  });
});
if (data.train) showParameters();

// --- documents ------------------------------------------------------------------------------------------------

/** Change documents, and show the page as it is then with a word on what was done. */
async function change(what, asked, said) {
  status(at("told"), "loading", what);
  try {
    sessionStorage.setItem(TOLD, said(await ask(...asked)));
    location.reload();
  } catch (error) {
    status(at("told"), "error", error.message);
    at("told").scrollIntoView({ block: "nearest" });
  }
}

const saidAdded = ({ added, updated, documents }) =>
  `${added} added, ${updated} replaced; the index has ${documents.toLocaleString("en")} document${documents === 1 ? "" : "s"} now.`;

function add(documents) {
  const body = { index, documents, update: at("update").checked };
  return change("Adding…", ["/v1/documents", { body }], saidAdded);
}

at("add")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const filled = [...document.querySelectorAll("[data-field]")].filter((one) => one.value);
  const fields = Object.fromEntries(filled.map((one) => [one.dataset.field, one.value]));
  add([{ id: at("new-id").value, fields }]);
});

function records(text) {
  const found = [];
  for (const [place, line] of text.replace(/^\ufeff/, "").split("\n").entries()) {
    if (!line.trim()) continue;
    try {
      found.push(JSON.parse(line));
    } catch {
      throw new Error(`line ${place + 1} is no JSON object; the file must hold one on each line`);
    }
  }
  return found;
}

at("file")?.addEventListener("change", async () => {
  const [file] = at("file").files;
  at("file").value = "";
  if (!file) return;
  try {
    const found = file.size > data.most_bytes ? [] : records(await file.text());
    if (file.size > data.most_bytes || found.length > data.most_added) {
      throw new Error("the file is too large for this page; add it with: aboutness add DIR FILE");
    }
    await add(found);
  } catch (error) {
    status(at("told"), "error", `${file.name}: ${error.message}`);
  }
});
for (const button of document.querySelectorAll("[data-delete]")) {
  button.addEventListener("click", () => {
    const id = button.dataset.delete;
    if (!confirm(`Delete the document ${id}?`)) return;
    change("Deleting…", [withQuery({ index, id }, "/v1/documents"), { method: "DELETE" }], () => `The document ${id} is deleted.`);
  });
}

// --- at the beginning -----------------------------------------------------------------------------------------

const told = sessionStorage.getItem(TOLD);
if (told) {
  sessionStorage.removeItem(TOLD);
  status(at("told"), "empty", el("span", { class: "text", dir: "auto" }, told));
}
showJobs();
