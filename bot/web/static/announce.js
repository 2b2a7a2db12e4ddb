// What is said to those who do not see the page: each region is read out when it changes, after what is being read.

import { el } from "./view.js";

function reader(id) {
  const region = document.getElementById(id);
  return (...paragraphs) => region.replaceChildren(...paragraphs.map((text) => el("p", {}, text)));
}

/** Say what happens in the conversation, and what waits. */
export const announce = reader("said");

/** Say what happens at the table, and what is asked there. */
export const announceTable = reader("said-table");
