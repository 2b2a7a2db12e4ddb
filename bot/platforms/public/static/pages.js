// Optional script of the public pages: keys and swipes step through a game without reloading, and a running game is
// followed; a puzzle is solved in the same way. It uses the links of the page, which also work without a script.

import { eventsFrom, LiveStream } from "./live.js";

// Interval for asking whether a game has moved on while there is no stream.
const POLL_INTERVAL_MS = 15_000;
const SWIPE_PIXELS = 48;
const status = document.getElementById("live");
let main = document.getElementById("main");
let pending = null;

/** Load a page of the same game and show it in place of this one; `quiet` keeps the address.
 *
 * If `changed` is given, a page of the same revision is not shown again.
 */
function showPage(address, quiet, changed) {
  if (pending) pending.abort();
  const request = new XMLHttpRequest();
  pending = request;
  request.open("GET", address);
  request.responseType = "document";
  request.onload = () => {
    pending = null;
    const found = request.status === 200 && request.response && request.response.getElementById("main");
    if (!found) {
      if (request.status === 410 || !quiet) location.assign(address);
      return;
    }
    if (changed && found.dataset.revision === main.dataset.revision) return;
    const stepped = document.activeElement && document.activeElement.dataset.step;
    const top = document.querySelector(".top");
    top.replaceWith(document.adoptNode(request.response.querySelector(".top")));
    main.replaceWith(document.adoptNode(found));
    main = document.getElementById("main");
    if (!quiet) history.pushState(null, "", address);
    const caption = main.querySelector("figcaption") || main.querySelector(".state");
    status.textContent = caption ? caption.textContent : "";
    const again = stepped && (main.querySelector(`a[data-step="${stepped}"]`) || main.querySelector("a[data-step]"));
    if (again) again.focus({ preventScroll: true });
    follow();
  };
  request.onerror = () => { pending = null; };
  request.send();
}

function step(name) {
  const link = main.querySelector(`a[data-step="${name}"]`);
  if (link) showPage(link.href, false);
  return Boolean(link);
}

const KEYS = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" };

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !main.dataset.game) return;
  const name = KEYS[event.key];
  if (name && step(name)) event.preventDefault();
});

document.addEventListener("click", (event) => {
  const link = event.target.closest && event.target.closest("a");
  if (!link || !main.dataset.game || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  // In a drawing the property is no text.
  const address = new URL(link.getAttribute("href"), location.href);
  if (!main.contains(link) || link.hasAttribute("download") || address.pathname !== main.dataset.game) return;
  event.preventDefault();
  showPage(address.href, false);
  if (!link.dataset.step) main.querySelector("h1").scrollIntoView();
});

let touch = null;
document.addEventListener("pointerdown", (event) => {
  touch = event.pointerType !== "mouse" && event.isPrimary && event.target.closest(".board") ? event : null;
});
document.addEventListener("pointercancel", () => { touch = null; });
document.addEventListener("pointerup", (event) => {
  if (!touch || event.pointerId !== touch.pointerId) return;
  const across = event.clientX - touch.clientX;
  if (Math.abs(across) > SWIPE_PIXELS && Math.abs(across) > 2 * Math.abs(event.clientY - touch.clientY)) {
    step(across < 0 ? "next" : "prev");
  }
  touch = null;
});

window.addEventListener("popstate", () => { if (main.dataset.game) showPage(location.href, true); });

// A running game is followed, except while an earlier turn is shown.
let stream = null;
function follow() {
  const address = main.dataset.live;
  if (!address) {
    if (stream) stream.close();
    stream = null;
    return;
  }
  if (stream) return showState();
  stream = new LiveStream({
    connect: eventsFrom(address, ["game", "gone"]),
    async poll() {
      if (!main.hasAttribute("data-past") && !pending) showPage(location.href, true, true);
      return [];
    },
    onNews([name, , id]) {
      if (name === "gone") {
        stream.close();
        location.reload();
      } else if (name === "game" && id !== main.dataset.revision && !main.hasAttribute("data-past")) showPage(location.href, true);
    },
    onState: showState,
    pollMs: POLL_INTERVAL_MS,
  });
}

/** Say as long as it is true that the game is not followed at once. */
function showState() {
  const late = main.querySelector(".late");
  if (late) late.hidden = !["polling", "lost"].includes(stream.state);
}
if (main.dataset.game) follow();
