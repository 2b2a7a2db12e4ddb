// Live regions for screen readers: a region is read out when it changes.

import { el } from "./view.js";

function reader(id) {
  const region = document.getElementById(id);
  return (...paragraphs) => region.replaceChildren(...paragraphs.map((text) => el("p", {}, text)));
}

/** Announce new messages and waiting games. */
export const announce = reader("said");

/** Announce changes at the table. */
export const announceTable = reader("said-table");
