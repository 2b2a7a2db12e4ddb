// The page: its state, the changes from the server, and all parts put together.

import { makeActions } from "./actions.js";
import { announce } from "./announce.js";
import { Chime } from "./chime.js";
import { Composer } from "./composer.js";
import { mergeDoubleClicks } from "./double.js";
import { Games } from "./games.js";
import { LiveStream, socketTo } from "./live.js";
import { Lobby } from "./lobby.js";
import { Log } from "./log.js";
import { becomeManager, takeManagerSecret, takeNameKey } from "./manager.js";
import { afterConfirmations, ask, askWithRetries, FEW_ATTEMPTS, Refusal } from "./net.js";
import { banner, showLiveState } from "./overlays.js";
import { onlyOffersLesson } from "./parts.js";
import { languageButtons, Names } from "./people.js";
import { Searches } from "./searches.js";
import { readSetting, saveSetting } from "./settings.js";
import { Sheet } from "./sheet.js";
import { addCloseButton, Stage } from "./stage.js";
import { avatar, botAvatar, el } from "./view.js";
import { language, say, sayError, setLanguage } from "./words.js";

const $ = (id) => document.getElementById(id);

// First, before anything can fail.
let managerSecret = takeManagerSecret();
let nameKey = takeNameKey();

const TONE_COUNT = 8;
// A public answer within this time after a press is the answer to it.
const ANSWER_WINDOW_MS = 4000;
// The code with which a stream is closed whose name this browser does not have.
const FORBIDDEN_CLOSE_CODE = 4001;

const state = {
  names: [],
  me: null,
  languages: [],
  games: [],
  choices: { levels: [], clocks: [], own: "" },
  menu: [],
  begins: false,
  commands: {},
  people: [],
  change: null,
  version: null,
  release: "",
  live: null,
  more: false,
  invitation: null,
  spoken: null,
  manager: false,
  opened: null,
  /** Resolves once the news for the name that speaks have come. */
  arrived: null,
  onArrived: () => {},
  expected: 0,
  awaited: 0,
  typed: 0,
};

const page = {
  state,
  start,
  switchTo: switchTo,
  changeLanguage,
  needName,
  drawWelcome,
  drawLobby: () => lobby?.draw(),
  showView: showView,
  /** Return the text about a manager's link that was just opened. */
  managerNotice() {
    if (state.opened === null) return "";
    return state.opened instanceof Refusal ? sayError(state.opened) : say("people.managed");
  },
  /** Return the program's version as a text. */
  versionText() {
    return say("page.release", { release: state.release });
  },
  /** Return the colour of a person's avatar, by their place among all people here. */
  toneOf(person) {
    const all = [...new Set([...state.people, ...state.names].map((each) => each.person))].sort((one, two) => one - two);
    const at = all.indexOf(person);
    return (at < 0 ? person : at) % TONE_COUNT;
  },
  /** Open a game; with `enters` its board gets the focus. */
  openGame(game, enters = false) {
    sheet.close();
    if (!game.code) return showMessage(game.message);
    games.markSeen(game.code);
    showView("table");
    return (enters ? stage.showAndFocus(game.code) : stage.show(game.code)).then(() => games.markSeen(game.code));
  },
  /** Open the panel for a new game, at a game if one is given. */
  async openNewGame(key) {
    sheet.close();
    const loaded = await import("./newgame.js").catch(() => null);
    if (!loaded) return banner(say("error.unreachable"), 5);
    newGame ??= new loaded.NewGame(context);
    newGame.open(key);
  },
  openMessage(id, enters = false) {
    sheet.close();
    showView("table");
    stage.showMessage(id, enters);
  },
  rememberTable(what) {
    games.draw();
    if (what === null) sessionStorage.removeItem("table");
    else sessionStorage.setItem("table", JSON.stringify(what));
  },
  onTableShown(open) {
    $("app").classList.toggle("staged", open);
    $("view-table").hidden = !open;
    $("skip-board").hidden = !open;
    if (!open) showView("lobby");
    else lobby.draw();
  },
  /** Expect a public answer to a press, in the conversation. */
  expectPublicAnswer() {
    state.expected = Date.now() + ANSWER_WINDOW_MS;
  },
  /** Expect a private answer; whatever was said before passes. */
  expectPrivateAnswer() {
    sheet.closePassing();
    state.awaited = Date.now() + ANSWER_WINDOW_MS;
  },
  /** Expect the answer to a typed text on the private board at the table. */
  expectBoardAnswer() {
    state.typed = Date.now() + ANSWER_WINDOW_MS;
  },
  /** Show at the table the new messages that belong there. */
  onMessages(changed, fresh) {
    const cleared = stage.message !== null;
    const private_ = fresh.findLast((message) => message.private && message.card?.picture && !message.parent);
    if (private_) page.openMessage(private_.id, document.activeElement !== $("text"));
    else if (Date.now() < state.typed && changed.some((message) => message.id === stage.message && !message.deleted)) {
      state.typed = 0;
      showView("table");
    }
    const found = changed.filter((message) => searches.wasAwaited(message)).find((message) => !message.parent);
    if (found && stage.message !== found.id && !stage.isOccupied && !composer.isTyping) page.openMessage(found.id);
    searches.showResults();
    const hung = fresh.findLast((message) => message.private && message.parent);
    const game = hung && games.findByMessage(hung.parent);
    if (game && hung.card?.picture && game.code === stage.game) stage.dropChoice();
    // The text field stays while somebody types.
    const leads = game && game.status !== "lobby" && (stage.game !== game.code || $("app").dataset.view !== "table");
    if (leads && !composer.isTyping) page.openGame(game);
    else if (stage.isOpen) stage.redraw();
    // A closed private board, such as a lesson, is followed by the game that was started from it.
    const next = Date.now() - lastStarted.at < ANSWER_WINDOW_MS ? games.find(lastStarted.code) : null;
    if (next && cleared && stage.message === null && stage.game !== next.code) page.openGame(next, true);
    // Offers are also shown at the open board.
    const board = String(games.find(stage.game)?.message);
    const all = fresh.find(({ author, card, private: hidden }) => !hidden && !author && !card?.table && card?.about !== board);
    const answer = fresh.find((message) => message.private && !message.parent && message.card && !message.card.picture && !onlyOffersLesson(message.card));
    if ((all && Date.now() < state.expected) || (answer && Date.now() < state.awaited)) showView("talk");
  },
  showUnread(unread) {
    $("view-talk").classList.toggle("news", unread);
  },
};

/** Show the lobby, the table or the conversation: on a phone there is room for one, else the conversation stays. */
function showView(which) {
  $("app").dataset.view = which;
  for (const view of ["lobby", "table", "talk"]) $(`view-${view}`).setAttribute("aria-pressed", String(view === which));
  if (which === "talk") log?.onShown();
  lobby?.draw();
}

async function showMessage(id) {
  showView("talk");
  for (let tries = 0; !log.get(id) && state.more && tries < 40; tries += 1) await loadEarlier();
  if (!log.show(id)) banner(say("error.no-such-message"), 5);
}

const context = makeActions(page);
let log = null;
log = new Log(context);
const composer = new Composer(context);
const names = new Names(context);
const stage = new Stage(context);
const sheet = new Sheet(context);
/** The panel for a new game, loaded when it is first asked for. */
let newGame = null;
const chime = new Chime();
const searches = new Searches(context);
let lobby = null;
const games = new Games(context, onGamesChanged);
Object.assign(page, { log, composer, stage, sheet, games, searches, chime });
lobby = new Lobby(context);

/** The newest game that began while the table was occupied, and when. */
let lastStarted = { code: null, at: 0 };

/** Announce and show the games that begin or stop waiting; open one if nothing else is in use. */
function onGamesChanged({ changed, fresh, begun, first }) {
  context.startAwaitedGames(games.all);
  log.refresh(changed);
  composer.stopAnsweringIf((message, isBoard) => isBoard && !message.tried && !games.isWaiting(message.id));
  if (!first && fresh.length) {
    // The table announces its own game.
    announce(...fresh.filter((game) => game.offer || game.code !== stage.announcedGame).map((game) => games.announcement(game)));
    if (fresh.some((game) => game.code !== stage.game || document.hidden)) chime.play();
    for (const game of fresh) chime.notify(game.title, games.announcement(game), game.code ?? "", () => page.openGame(game));
  }
  const mine = begun.find((game) => game.code !== stage.game);
  const free = !stage.isOpen || (!stage.isOccupied && games.find(stage.game)?.status !== "playing");
  if (!first && begun.some((game) => game.code === stage.game)) {
    stage.focusWhenDrawn();
    // Who looked around in the lobby meanwhile is led to the board.
    if ($("app").dataset.view === "lobby" && !composer.isTyping) showView("table");
  }
  if (!first && mine && free && !composer.isTyping) page.openGame(mine, true);
  else if (!first && mine) lastStarted = { code: mine.code, at: Date.now() };
  stage.update(games.all);
  if (stage.game !== null && !document.hidden && $("stage").offsetWidth > 0) games.markSeen(stage.game);
}

const isMe = (person) => person.person === state.me?.person;

// A phone shows so many faces of those who are here.
const MAX_FACES = 2;

function drawPeople() {
  const mine = new Set(state.names.map((name) => name.person));
  const beyond = state.people.filter((person) => person.here).length - MAX_FACES;
  const more = el("li", { class: "more", title: say("people.more", { n: beyond }), hidden: beyond <= 0 }, `+${beyond}`);
  $("people-list").replaceChildren(
    ...state.people.map((person) =>
      el(
        "li",
        { class: person.here ? "here" : "away" },
        avatar(person.name, page.toneOf(person.person)),
        el("span", { class: "name" }, person.name),
        mine.has(person.person) ? el("span", { class: "you" }, say(isMe(person) ? "people.you" : "people.yours")) : null,
        el("span", { class: "unseen" }, say(person.here ? "people.here" : "people.away")),
      ),
    ),
    more,
  );
}

function drawManager() {
  $("manager").textContent = state.manager ? say("people.manager") : "";
}

function drawSpeaker() {
  const button = $("speaker");
  button.replaceChildren(state.me ? avatar(state.me.name, page.toneOf(state.me.person)) : avatar("?", 7));
  button.title = state.me ? say("names.switch", { name: state.me.name }) : say("names.enter");
  button.setAttribute("aria-label", button.title);
}

function drawWelcome() {
  const about = state.me ? say("intro.about") : say("intro.guest");
  const shown = !state.more && about;
  if ($("intro").textContent !== (shown || "")) $("intro").replaceChildren(...(shown ? [el("p", {}, about)] : []));
}

function drawWords() {
  $("skip").textContent = say("page.skip");
  $("skip-board").textContent = say("page.skip-board");
  $("waiting-title").textContent = say("waiting.title");
  $("people-title").textContent = say("people.title");
  $("earlier").textContent = say("log.earlier");
  $("log").setAttribute("aria-label", say("log.title"));
  $("language").setAttribute("aria-label", say("page.language"));
  $("language").replaceChildren(...languageButtons(state.languages, language, changeLanguage));
  $("going-title").textContent = say("table.going");
  $("views").setAttribute("aria-label", say("view.title"));
  $("view-lobby").textContent = say("view.lobby");
  $("view-table").textContent = say("view.table");
  $("view-talk").textContent = say("view.talk");
  $("release").textContent = page.versionText();
  composer.translate();
  names.translate();
  stage.translate();
  newGame?.translate();
  chime.draw();
  if (state.menu.length) lobby.drawBar(state.menu);
  games.draw();
  drawSpeaker();
  drawWelcome();
  $("people").hidden = state.me === null;
  if (!state.me) return;
  drawPeople();
  drawManager();
}

async function changeLanguage(code) {
  saveSetting("language", code);
  const hello = await ask(`/api/hello?language=${code}${invitationCode() ? `&join=${invitationCode()}` : ""}`).catch(() => null);
  if (!hello) return banner(say("error.unreachable"), 5);
  setLanguage(hello.language, hello.words);
  Object.assign(state, { invitation: hello.invitation, games: hello.games, choices: hello.choices, commands: hello.commands, menu: hello.menu });
  drawWords();
  // The names of games, and today's puzzle, come with the stream.
  state.live?.reopen();
  if (!state.me) return;
  log.refreshAll();
  if (sheet.message) sheet.show(sheet.message);
}

async function loadEarlier() {
  const first = log.firstId;
  if (!state.more || first === null) return;
  const page = await ask(`/api/messages?as=${encodeURIComponent(state.me.user)}&before=${first}&language=${language}`).catch(() => null);
  if (!page) return banner(say("error.unreachable"), 5);
  state.more = page.more;
  $("earlier").hidden = !state.more;
  log.update(page.messages.filter((message) => !message.sheet), { earlier: true });
  drawWelcome();
}

/** Show what belongs on the sheet; return what is left for the conversation. */
function takeSheet(messages) {
  const newest = messages.findLast((message) => message.sheet);
  if (newest) sheet.show(newest);
  else if (messages.some(({ id }) => id === sheet.message?.id)) sheet.remove();
  return messages.map((message) => (message.sheet ? { id: message.id, deleted: true } : message));
}

function onNews(news) {
  if (news.version !== undefined && state.version !== null && news.version !== state.version) {
    return afterConfirmations(() => location.reload());
  }
  if (news.version !== undefined) state.version = news.version;
  if (news.people) {
    state.people = news.people;
    drawPeople();
    drawSpeaker();
  }
  if (news.lobby) lobby.update(news.lobby);
  if ("spoken" in news) state.spoken = news.spoken;
  if ("manager" in news && news.manager !== state.manager) {
    state.manager = news.manager;
    drawManager();
    log.refreshAll();
  }
  // The games first: the lines of messages depend on them.
  const tables = news.tables;
  if (tables && !news.whole) games.update(tables);
  if (news.whole) {
    const first = state.change === null;
    if (!first) log.clear({ keepPending: true });
    state.more = news.more;
    $("earlier").hidden = !news.more;
    log.update(takeSheet(news.messages), { first: true, seen: Number(readSetting(`seen ${state.me.user}`)) });
    if (tables) games.update(tables);
    $("app").dataset.ready = state.me.user;
    state.onArrived();
    if (first) {
      restoreTable();
      context.sendStoredActions();
    }
  } else if (news.messages?.length) {
    const before = sheet.message?.id;
    log.update(takeSheet(news.messages));
    // What was asked on the sheet may be answered by a board.
    if (log.get(before)?.card?.picture) page.openMessage(before, true);
  }
  context.startAwaitedGames((news.messages ?? []).map((message) => message.lot).filter(Boolean));
  if (news.searches) searches.update(news.searches);
  if (news.change !== undefined) state.change = news.change;
  composer.stopAnsweringIf((message, isBoard) => (isBoard && !message.tried ? !games.isWaiting(message.id) : !log.get(message.id)));
  drawWelcome();
}

function onState(live, code) {
  $("app").dataset.live = String(live === "live");
  showLiveState(live, code);
  if (code === FORBIDDEN_CLOSE_CODE) start();
}

/** Listen to what everybody may see, before the reader has a name. */
function lookIn() {
  state.me = null;
  $("app").hidden = false;
  $("view-table").hidden = $("stage").hidden;
  drawWords();
  showView($("app").dataset.view);
  listen(() => `/api/live?language=${language}`);
}

function listen(address) {
  state.live?.close();
  state.live = new LiveStream({ connect: socketTo(address), poll: () => ask(address()), onNews, onState });
}

/** Ask for a name if the reader has none; resolves with whether they have one, and its news have come. */
async function needName() {
  if (state.me) return true;
  await chooseName();
  await state.arrived;
  return state.me !== null;
}

/** Switch to a name; with the code of a game its board stays open. */
function switchTo(name, code = null) {
  state.me = name;
  state.change = null;
  state.arrived = new Promise((resolve) => {
    state.onArrived = resolve;
  });
  // After a reload the same person finds the same board.
  const openBefore = sessionStorage.getItem("speaker") === name.user ? sessionStorage.getItem("table") : null;
  sessionStorage.setItem("speaker", name.user);
  state.live?.close();
  delete $("app").dataset.ready;
  log.clear();
  sheet.remove();
  games.startFor(JSON.parse(readSetting(`over ${name.user}`) ?? "null"));
  if (code === null) stage.close();
  if (openBefore !== null && code === null) sessionStorage.setItem("table", openBefore);
  $("app").hidden = false;
  drawWords();
  listen(() => `/api/live?as=${encodeURIComponent(name.user)}&language=${language}${state.change === null ? "" : `&since=${state.change}`}`);
  // At a board the focus stays there.
  if (code !== null) stage.showAndFocus(code);
  else if (matchMedia("(pointer: fine)").matches) composer.focus();
  if (state.opened !== null) banner(page.managerNotice(), 20);
  state.opened = null;
}

/** Open an invitation, the board that was open before, or the game that waits longest. */
function restoreTable() {
  const openBefore = JSON.parse(sessionStorage.getItem("table") ?? "null");
  const joining = takeInvitation();
  if (joining) joinGame(joining);
  else if (typeof openBefore === "string" && games.find(openBefore)) page.openGame(games.find(openBefore));
  else if (typeof openBefore === "number" && log.get(openBefore)?.card?.picture) page.openMessage(openBefore);
  else if (games.firstWaiting) page.openGame(games.firstWaiting);
}

/** Join a game, or watch it if it has begun; the conversation shows the answer. */
function joinGame(code) {
  showView("talk");
  context.send(`/join ${code}`, null);
}

/** Return the code of the game in an invitation link, null if there is none. */
function invitationCode() {
  return /^#join=([0-9A-Za-z]{1,12})/.exec(location.hash)?.[1].toUpperCase() ?? null;
}

/** Return the code of an invitation and remove it from the address. */
function takeInvitation() {
  const found = invitationCode();
  if (found) history.replaceState(history.state, "", location.pathname + location.search);
  return found;
}

async function chooseName() {
  const name = await names.ask();
  // The dialog has shown it.
  state.opened = null;
  if (!name) return;
  if (name.user !== state.me?.user) switchTo(name);
}

/** Tell a blocked person why they see nothing, and try again every minute. */
function showBlocked(why) {
  names.close();
  newGame?.close();
  stage.close();
  sheet.remove();
  state.me = null;
  $("app").hidden = true;
  $("out").textContent = sayError(new Refusal(why));
  $("out").hidden = false;
  setTimeout(start, 60_000);
}

/** Start the page, or start again after the server has ended the session. */
async function start() {
  state.live?.close();
  state.live = null;
  const wanted = readSetting("language") ?? navigator.language;
  const path = `/api/hello?language=${encodeURIComponent(wanted)}${invitationCode() ? `&join=${invitationCode()}` : ""}`;
  let hello = null;
  for (let pause = 500; !hello; pause = Math.min(pause * 2, 8000)) {
    hello = await ask(path).catch(() => null);
    if (!hello) await new Promise((resolve) => setTimeout(resolve, pause));
  }
  setLanguage(hello.language, hello.words);
  Object.assign(state, { invitation: hello.invitation, names: hello.names, languages: hello.languages, games: hello.games, choices: hello.choices, commands: hello.commands, menu: hello.menu, version: hello.version, release: hello.release, me: null });
  drawWords();
  if (managerSecret !== null) {
    const given = managerSecret;
    managerSecret = null;
    state.opened = (await becomeManager(given)) ?? "manager";
  }
  if (hello.out && state.opened !== "manager") return showBlocked(hello.out);
  $("out").hidden = true;
  if (nameKey !== null) {
    const given = nameKey;
    nameKey = null;
    const back = await askWithRetries("/api/return", { key: given }, { tries: FEW_ATTEMPTS }).catch((error) => error);
    if (back.name) {
      context.addName(back.name);
      return switchTo(back.name);
    }
    state.opened = back instanceof Refusal ? back : new Refusal({ code: "unreachable" });
  }
  const last = sessionStorage.getItem("speaker");
  const only = state.names.length === 1 && location.hash !== "#new" ? state.names[0] : null;
  const known = state.names.find((name) => name.user === last) ?? only;
  if (known) return switchTo(known);
  lookIn();
  // Who follows a link means to come in; which of several people is here only they know.
  if (state.invitation || state.opened !== null || state.names.length || location.hash === "#new") await chooseName();
}

document.querySelector("[data-avatar=bot]").append(botAvatar());
addCloseButton(() => stage.close());
mergeDoubleClicks();
$("new-game").addEventListener("click", () => page.openNewGame());
$("menu").addEventListener("click", () => context.send("/menu", null));
$("my-games").addEventListener("click", async () => {
  if (!(await needName())) return;
  showView("lobby");
  lobby.showMine();
});
$("view-lobby").addEventListener("click", () => showView("lobby"));
$("view-table").addEventListener("click", () => showView("table"));
$("view-talk").addEventListener("click", () => showView("talk"));
document.addEventListener("visibilitychange", () => !document.hidden && stage.game !== null && games.markSeen(stage.game));
$("speaker").addEventListener("click", chooseName);
$("earlier").addEventListener("click", loadEarlier);
$("large").addEventListener("click", (event) => event.target === $("large") && $("large").close());
$("skip-board").addEventListener("click", (event) => {
  event.preventDefault();
  showView("table");
  stage.focus();
});
$("skip").addEventListener("click", (event) => {
  event.preventDefault();
  if (!$("text").checkVisibility()) showView("talk");
  composer.focus();
});
new IntersectionObserver(
  (entries) => {
    if (entries[0].isIntersecting && !$("earlier").hidden) loadEarlier();
  },
  { root: $("scroll") },
).observe($("earlier"));
// A link that is opened in a loaded page only changes the address.
window.addEventListener("hashchange", () => {
  const given = takeManagerSecret();
  nameKey = takeNameKey();
  if (nameKey !== null) return start();
  const joining = given === null && state.me ? takeInvitation() : null;
  if (joining) joinGame(joining);
  if (given === null) return;
  managerSecret = given;
  start();
});
start();
