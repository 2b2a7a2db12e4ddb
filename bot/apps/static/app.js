// The page inside Telegram and Discord: who somebody is by their launch, one game or what there is without one.

import { takeDoubleClicksForOne } from "./double.js";
import { begun, host, session } from "./app-begin.js";
import { banner, makeContext, typing } from "./app-context.js";
import { takeDrags } from "./app-drag.js";
import { Home } from "./app-home.js";
import { secret } from "./message.js";
import { ask, Refusal } from "./net.js";
import { Searches } from "./searches.js";
import { closer, Stage } from "./stage.js";
import { el } from "./view.js";
import { say, sayError, useWords } from "./words.js";

const $ = (id) => document.getElementById(id);
// How often the open game is looked at while the stream is away, in milliseconds.
const WATCHING = 3000;
// How often the list of games is looked at, whatever the stream says, in milliseconds.
const LISTING = 20_000;

let panel = null;
let watching = 0;

const page = {
  host,
  session,
  me: null,
  /** The board that came with the session, until it is shown. */
  first: null,
  tapped: false,
  noted: null,
  stage: null,
  home: null,
  async openGame(game, enters = false) {
    page.closeNote();
    page.home.hide();
    session.watch(game.code);
    document.documentElement.dataset.game = game.code;
    if (enters) await page.stage.enter(game.code);
    else await page.stage.show(game.code);
    if (!page.stage.open) return page.showHome();
    page.lookAgain();
    const missed = await context.missed(game.code);
    if (missed.length && page.stage.game === game.code) await page.stage.playBack(missed);
  },
  openMessage(id) {
    page.closeNote();
    page.home.hide();
    page.stage.showMessage(id, true);
  },
  showHome() {
    session.watch(null);
    document.documentElement.dataset.game = "";
    page.lookAgain();
    return page.home.show().then(() => page.lookAgain());
  },
  onStage(open) {
    if (!open && !page.home.open) page.showHome();
    page.lookAgain();
  },
  /** Words above everything; one at a time. */
  note(message) {
    page.noted = message.id;
    $("note").replaceChildren(secret(message, context));
    $("note").setAttribute("aria-label", say("private.label"));
    if (!$("note").open) $("note").showModal();
    page.lookAgain();
  },
  closeNote() {
    page.noted = null;
    if ($("note").open) $("note").close();
    page.lookAgain();
  },
  type(value) {
    const { form, field } = typing(value, (text) => context.say(text), () => page.closeNote());
    $("note").replaceChildren(form);
    $("note").setAttribute("aria-labelledby", "note-title");
    if (!$("note").open) $("note").showModal();
    field.focus();
    page.lookAgain();
  },
  async newGamePanel() {
    if (panel === null) {
      document.head.append(el("link", { rel: "stylesheet", href: "static/newgame.css" }));
      const { NewGame } = await import("./newgame.js");
      panel = new NewGame(context);
    }
    return panel;
  },
  /** What the host's own buttons are for now. */
  lookAgain() {
    const dialog = document.querySelector("dialog[open]") !== null;
    host.showBack(dialog || !page.home?.open);
    host.showMain(!dialog && page.home?.open ? say("newgame.title") : "");
  },
};

const context = makeContext(page);
page.home = new Home(context);
page.stage = new Stage(context);
page.searches = new Searches({ ...context, redraw });

/** How far a search is, or that it has ended, shows where its reader waits. */
function redraw() {
  const noted = page.noted === null ? null : context.message(page.noted);
  if (noted) page.note(noted);
  page.stage.changed();
}

function back() {
  const dialog = document.querySelector("dialog[open]");
  if (dialog) dialog.close();
  else if (!page.home.open) page.stage.close();
}

/** Something has moved on: the open game is looked at again, or the list. */
function onNews({ games = [], list = false, open = null, searches = null }) {
  if (searches) page.searches.take(searches);
  if (open !== null && open !== page.stage.game) {
    document.querySelector("dialog[open]")?.close();
    page.openGame({ code: open }, true);
  }
  for (const { code, revision, status } of games) {
    const known = context.table(code);
    if (!known) context.hear(code, revision);
    else if (revision === undefined) page.stage.refresh();
    else if (revision !== known.revision || status !== known.status) {
      const mine = known.turn;
      context.note({ ...known, revision, status });
      page.stage.refresh().then(() => {
        const now = context.table(code);
        if (!mine && now?.turn) host.haptic("warning");
        if (now?.status === "over" && known.status !== "over") host.haptic(now.won ? "success" : "warning");
      });
    }
  }
  if (list && page.home.open) page.home.refresh();
}

function onState(connected) {
  document.documentElement.dataset.live = String(connected);
  clearInterval(watching);
  if (connected) {
    banner("");
    return;
  }
  banner(say("error.lost"));
  // Without the stream it is asked now and then.
  watching = setInterval(() => !document.hidden && page.stage.game !== null && !page.stage.occupied && page.stage.refresh(), WATCHING);
}

/** Say why nothing can be shown, and let it be tried again where that may help. */
async function giveUp(error) {
  if (!(error instanceof Refusal && "words" in error)) {
    const about = await ask(`/api/about?language=${encodeURIComponent(navigator.language)}`).catch(() => null);
    if (about) useWords(about.language, about.words);
  }
  const words = error instanceof Refusal ? sayError(error) : say("error.unreachable");
  const again = el("button", { type: "button", class: "key primary", on: { click: () => location.reload() } }, say("app.again"));
  $("out").replaceChildren(el("span", {}, words), again);
  $("app").hidden = true;
}

async function start() {
  let told = null;
  try {
    told = await begun;
  } catch (error) {
    host.ready();
    return giveUp(error);
  }
  host.begun(told);
  useWords(told.language, told.words);
  page.me = told.me;
  page.first = told.board ?? null;
  closer(() => page.stage.close());
  $("stage-close").hidden = host.hasBack;
  page.stage.translate();
  $("app").hidden = false;
  session.listen(onNews, onState);
  const shown = told.game ? page.openGame({ code: told.game }) : page.showHome();
  host.ready();
  await shown;
  document.documentElement.dataset.ready = "true";
}

host.onBack(back);
host.onMain(() => context.newGame());
host.onLayout((layout) => {
  document.documentElement.dataset.layout = layout;
});
takeDoubleClicksForOne();
takeDrags($("stage-board"), () => $("stage").getAttribute("aria-busy") === "true", () => $("stage").dataset.at);
for (const dialog of document.querySelectorAll("dialog")) {
  dialog.addEventListener("close", () => page.lookAgain());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
}
$("note").addEventListener("close", () => {
  page.noted = null;
});
setInterval(() => page.home.open && !document.hidden && page.home.refresh(), LISTING);
document.addEventListener("visibilitychange", () => !document.hidden && page.home.open && page.home.refresh());
start();
