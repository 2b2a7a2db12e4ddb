// What is shown above the page: the banner, enlarged pictures, and addresses to copy by hand.

import { el, iconButton, image } from "./view.js";
import { say } from "./words.js";

const $ = (id) => document.getElementById(id);

let bannerTimer = 0;
let passing = "";
/** What is true for now, by its kind; the kind that comes first is shown. */
const standing = { unconfirmed: "", live: "" };

function showBanner() {
  const text = passing || Object.values(standing).find(Boolean) || "";
  if ($("banner").textContent !== text) $("banner").textContent = text;
  $("banner").hidden = !text;
  $("banner").classList.toggle("standing", !passing);
}

/** Show a text above everything for some seconds. */
export function banner(text, seconds) {
  clearTimeout(bannerTimer);
  passing = text;
  showBanner();
  const end = () => {
    passing = "";
    showBanner();
  };
  bannerTimer = setTimeout(end, seconds * 1000);
}

function standingBanner(kind, text) {
  standing[kind] = text;
  showBanner();
}

// A reader who presses again after so long does not mean the same press.
const LONG_WAIT_MS = 1000;

let retrying = 0;

/** Run an action of the reader; from its first failed attempt on say that it is not confirmed, until it is.
 *
 * `send` is called with the function to call after a failed attempt.
 */
export async function sayUnconfirmed(send) {
  let failed = false;
  const count = (by) => {
    retrying += by;
    standingBanner("unconfirmed", retrying ? say("error.unconfirmed") : "");
  };
  try {
    return await send(() => {
      if (!failed) count(1);
      failed = true;
    });
  } finally {
    if (failed) count(-1);
  }
}

/** Say that an action was not sent because an earlier one is not confirmed yet. */
export function sayNotSent() {
  banner(say("error.one-waits"), 6);
}

/** The same if the earlier one was sent so long ago that the reader may no longer remember it; `since` is a time of `performance`. */
export function sayNotSentIfLong(since) {
  if (retrying || performance.now() - since > LONG_WAIT_MS) sayNotSent();
}

// The code with which a stream is closed that is one too many.
const TOO_MANY_CLOSE_CODE = 4002;

/** Say as long as it is true that changes are not shown at once; `state` is that of a LiveStream. */
export function showLiveState(state, code) {
  const late = code === TOO_MANY_CLOSE_CODE ? "error.too-many-streams" : "error.polling";
  const words = { polling: late, lost: "error.lost" }[state];
  standingBanner("live", words ? say(words) : "");
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
