// The page inside Telegram and Discord: one game, or the list of games.

import { host, opening, session } from "./app-begin.js";
import { makeContext, makeTypingForm } from "./app-context.js";
import { enableDragging } from "./app-drag.js";
import { Home } from "./app-home.js";
import { mergeDoubleClicks, mergeDoublePresses } from "./double.js";
import { ask, Refusal } from "./net.js";
import { banner, showLiveState } from "./overlays.js";
import { Searches } from "./searches.js";
import { Sheet } from "./sheet.js";
import { addCloseButton, Stage } from "./stage.js";
import { el } from "./view.js";
import { say, sayError, setLanguage } from "./words.js";

const $ = (id) => document.getElementById(id);
// Interval for reloading the list of games.
const LIST_INTERVAL_MS = 20_000;
// Refusals of a launch that trying again cannot change.
const FINAL_REFUSALS = ["launch-old", "launch-forged"];

let panel = null;

/** Remember what is open: a game's code, the press that shows a private board, "" for the list of games.
 *
 * A page that is loaded again shows it instead of the link's game.
 */
function rememberOpen(open) {
  try {
    sessionStorage.setItem("open", open);
  } catch {
    // Without storage the link decides.
  }
}

function openBeforeReload() {
  if (performance.getEntriesByType("navigation")[0]?.type !== "reload") return null;
  try {
    return sessionStorage.getItem("open");
  } catch {
    return null;
  }
}

const page = {
  host,
  session,
  me: null,
  /** The board that came with the session, null once it was shown. */
  first: null,
  hasTapped: false,
  sheet: null,
  stage: null,
  home: null,
  async openGame(game, enters = false) {
    page.closeDialogs();
    page.home.hide();
    session.watch(game.code);
    document.documentElement.dataset.game = game.code;
    if (enters) await page.stage.showAndFocus(game.code);
    else await page.stage.show(game.code);
    if (!page.stage.isOpen) return page.showHome();
    page.updateHostButtons();
    const missed = await context.listMissedTurns(game.code);
    if (missed.length && page.stage.game === game.code) await page.stage.replay(missed);
  },
  /** Remember a game or a private message that is on the table, null for none. */
  rememberTable(open) {
    const message = context.message(open);
    // A private board that cannot be shown again leads back to the game behind it.
    if (!message) rememberOpen(open ?? "");
    else if (message.card.again) rememberOpen(message.card.again);
  },
  openMessage(id) {
    page.closeDialogs();
    page.home.hide();
    page.stage.showMessage(id, true);
  },
  showHome() {
    session.watch(null);
    rememberOpen("");
    document.documentElement.dataset.game = "";
    page.updateHostButtons();
    return page.home.show().then(() => page.updateHostButtons());
  },
  onTableShown(open) {
    if (!open && !page.home.isOpen) page.showHome();
    page.updateHostButtons();
  },
  closeDialogs() {
    page.sheet.close();
    if ($("note").open) $("note").close();
  },
  openTypingForm(value) {
    const { form, field } = makeTypingForm(value, (text) => context.say(text), () => page.closeDialogs());
    page.closeDialogs();
    $("note").replaceChildren(form);
    $("note").showModal();
    field.focus();
  },
  newGamePanel() {
    panel ??= import("./newgame.js").then(({ NewGame }) => new NewGame(context));
    panel.catch(() => (panel = null));
    return panel;
  },
  /** Show or hide the host's own buttons. */
  updateHostButtons() {
    const dialog = document.querySelector("dialog[open]") !== null;
    host.showBack(dialog || !page.home?.isOpen);
    host.showMain(!dialog && page.home?.isOpen ? say("newgame.title") : "");
  },
};

const context = makeContext(page);
page.home = new Home(context);
page.stage = new Stage(context);
page.sheet = new Sheet(context);
page.searches = new Searches({ ...context, redraw });

/** Draw the progress of searches again. */
function redraw() {
  if (page.sheet.message) page.sheet.show(page.sheet.message);
  page.stage.redraw();
}

function goBack() {
  const dialog = document.querySelector("dialog[open]");
  const inner = dialog?.querySelector("[data-key=back]");
  if (inner) inner.click();
  else if (dialog) dialog.close();
  else if (!page.home.isOpen) page.stage.close();
}

/** Whether the board shows an older revision of a game, although a newer one was loaded: answers can overtake each other. */
function isBehind(code, revision) {
  return code === page.stage.game && page.stage.revision !== null && page.stage.revision < revision;
}

/** Reload the open game or the list after a change. */
function onNews({ games = [], list = false, open = null, searches = null }) {
  if (searches) page.searches.update(searches);
  if (open !== null && open !== page.stage.game) {
    document.querySelector("dialog[open]")?.close();
    page.openGame({ code: open }, true);
  }
  for (const { code, revision, status, away } of games) {
    const known = context.table(code);
    if (!known) context.notePendingRevision(code, revision);
    else if (revision === undefined || (away && String(away) !== String(known.away ?? ""))) page.stage.refresh();
    else if (revision !== known.revision || status !== known.status || isBehind(code, revision)) {
      const mine = known.turn;
      context.note({ ...known, revision, status });
      page.stage.refresh().then(() => {
        const now = context.table(code);
        if (!mine && now?.turn) host.haptic("warning");
        if (now?.status === "over" && known.status !== "over") host.haptic(now.won ? "success" : "warning");
      });
    }
  }
  if (list && page.home.isOpen) page.home.refresh();
}

function onState(state, code) {
  document.documentElement.dataset.live = String(state === "live");
  showLiveState(state, code);
}

/** Say why the app cannot start, with a button to try again. */
async function showFailure(error) {
  if (!(error instanceof Refusal && "words" in error)) {
    const about = await ask(`/api/about?language=${encodeURIComponent(navigator.language)}`).catch(() => null);
    if (about) setLanguage(about.language, about.words);
  }
  const words = error instanceof Refusal ? sayError(error) : say("error.unreachable");
  // The host hands out the same launch again when the page is loaded again.
  const isFinal = error instanceof Refusal && FINAL_REFUSALS.includes(error.code);
  const again = el("button", { type: "button", class: "key primary", on: { click: () => location.reload() } }, say("app.again"));
  $("out").replaceChildren(el("span", {}, words), ...(isFinal ? [] : [again]));
  $("app").hidden = true;
}

async function start() {
  let data = null;
  try {
    data = await opening;
  } catch (error) {
    host.ready();
    return showFailure(error);
  }
  host.sessionOpened(data);
  setLanguage(data.language, data.words);
  page.me = data.me;
  page.first = data.board ?? null;
  addCloseButton(() => page.stage.close());
  $("stage-close").hidden = host.hasBack;
  page.stage.translate();
  $("app").hidden = false;
  session.listen(onNews, onState);
  const open = openBeforeReload() ?? data.game;
  const shown = open?.includes(":") ? page.showHome().then(() => context.sendPress(null, open)) : open ? page.openGame({ code: open }) : page.showHome();
  host.ready();
  await shown;
  if (data.refused) banner(say(`error.${data.refused}`), 12);
  document.documentElement.dataset.ready = "true";
  // Without a network, too, it is there when it is wanted.
  const loadPanel = () => page.newGamePanel().catch(() => {});
  addEventListener("online", loadPanel);
  loadPanel();
  await context.sendStoredActions();
}

host.onBack(mergeDoublePresses(goBack));
host.onMain(mergeDoublePresses(() => document.querySelector("dialog[open]") ?? context.newGame()));
host.onLayout((layout) => {
  document.documentElement.dataset.layout = layout;
});
mergeDoubleClicks();
enableDragging($("stage-board"), () => $("stage").getAttribute("aria-busy") === "true", () => $("stage").dataset.at);
const openDialogs = new MutationObserver(() => page.updateHostButtons());
for (const dialog of document.querySelectorAll("dialog")) {
  openDialogs.observe(dialog, { attributeFilter: ["open"] });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
}
setInterval(() => page.home.isOpen && !document.hidden && page.home.refresh(), LIST_INTERVAL_MS);
document.addEventListener("visibilitychange", () => !document.hidden && page.home.isOpen && page.home.refresh());
start();
