// What stands on every page: the choice of an index, to which goes along what is asked for.

import { el } from "./common.js";

const choose = document.querySelector("[data-choose-index]");
choose?.querySelector("select").addEventListener("change", () => {
  for (const before of choose.querySelectorAll("input")) before.remove();
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (choose.dataset.keeps.split(" ").includes(name)) choose.append(el("input", { type: "hidden", name, value }));
  }
  choose.submit();
});
document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
