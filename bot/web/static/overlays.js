// What is shown above the page: the banner, enlarged pictures, and addresses to copy by hand.

import { el, iconButton, image } from "./view.js";
import { say } from "./words.js";

const $ = (id) => document.getElementById(id);

let bannerTimer = 0;

/** Show a text above everything; without `seconds` it stays until the next call. */
export function banner(text, seconds) {
  clearTimeout(bannerTimer);
  $("banner").textContent = text;
  $("banner").hidden = !text;
  if (seconds) bannerTimer = setTimeout(() => banner(""), seconds * 1000);
}

function showLarge(label, ...content) {
  const close = iconButton("close", say("names.close"), () => $("large").close(), { class: "close" });
  $("large").replaceChildren(close, ...content);
  $("large").setAttribute("aria-label", label);
  $("large").showModal();
}

/** Show a picture as large as the window. */
export function enlarge(picture) {
  showLarge(say("board.enlarged"), image(picture));
}

/** Copy an address; if the browser refuses, show it to be copied by hand. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    banner(say("table.copied"), 4);
  } catch {
    const field = el("input", { class: "copied", readonly: true, value: text, "aria-label": say("table.link") });
    showLarge(say("table.link"), el("p", {}, say("table.copy")), field);
    field.select();
  }
}
