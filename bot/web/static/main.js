// The page: who is here, what the server says, and everything put together.

import { announce } from "./announce.js";
import { Chime } from "./chime.js";
import { Composer } from "./composer.js";
import { banner, makeDoings, store, stored } from "./doings.js";
import { Games } from "./games.js";
import { takeDoubleClicksForOne } from "./double.js";
import { drawGreeting, drawIntro } from "./intro.js";
import { Log } from "./log.js";
import { manage, takeKey, takeSecret } from "./manager.js";
import { ask, insist, Live, Refusal } from "./net.js";
import { NewGame } from "./newgame.js";
import { languageSwitch, Names } from "./people.js";
import { Searches } from "./searches.js";
import { closer, Stage } from "./stage.js";
import { avatar, botAvatar, el, icon } from "./view.js";
import { language, say, sayError, useWords } from "./words.js";

const $ = (id) => document.getElementById(id);

// First of all, before anything can fail.
let secret = takeSecret();
let key = takeKey();

const TONES = 12;
// How long after a press an answer to all is what it has brought about, in milliseconds.
const SOON = 4000;

const state = {
  names: [],
  me: null,
  languages: [],
  games: [],
  choices: { levels: [], clocks: [] },
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
  greeted: null,
  expected: 0,
  awaited: 0,
  typed: 0,
};

const page = {
  state,
  start,
  become,
  changeLanguage,
  drawWelcome,
  view,
  /** Return what there is to say of a manager's link that was just opened. */
  told() {
    if (state.opened === null) return "";
    return state.opened instanceof Refusal ? sayError(state.opened) : say("people.managed");
  },
  /** Which version of the program answers. */
  release() {
    return say("page.release", { release: state.release });
  },
  /** The tone of a person's disc: by their place among all who were ever here, so that neighbours differ. */
  tone(person) {
    const all = [...new Set([...state.people, ...state.names].map((each) => each.person))].sort((one, two) => one - two);
    const at = all.indexOf(person);
    return (at < 0 ? person : at) % TONES;
  },
  /** Open a game; `enters`: as one that begins, so that keys go on at its board. */
  openGame(game, enters = false) {
    if (!game.code) return showMessage(game.message);
    games.looked(game.code);
    view("table");
    return (enters ? stage.enter(game.code) : stage.show(game.code)).then(() => games.looked(game.code));
  },
  openMessage(id, enters = false) {
    view("table");
    stage.showMessage(id, enters);
  },
  remember(what) {
    games.draw();
    if (what === null) sessionStorage.removeItem("table");
    else sessionStorage.setItem("table", JSON.stringify(what));
  },
  onStage(open) {
    $("app").classList.toggle("staged", open);
    $("views").hidden = !open;
    $("skip-board").hidden = !open;
    if (!open) view("talk");
  },
  /** What was pressed may be answered to all, in the conversation. */
  expects() {
    state.expected = Date.now() + SOON;
  },
  /** What was pressed may be answered in words that hang under nothing: they stand in the conversation, too. */
  awaits() {
    state.awaited = Date.now() + SOON;
  },
  /** What was typed is for the private board on the table: it is answered there. */
  expectsOnTable() {
    state.typed = Date.now() + SOON;
  },
  /** Messages have come: those that belong to the table are shown there. */
  taken(changed, fresh) {
    const cleared = stage.message !== null;
    const private_ = fresh.findLast((message) => message.private && message.card?.picture && !message.parent);
    if (private_) page.openMessage(private_.id, document.activeElement !== $("text"));
    else if (Date.now() < state.typed && changed.some((message) => message.id === stage.message && !message.deleted)) {
      state.typed = 0;
      view("table");
    }
    const found = changed.filter((message) => searches.found(message)).find((message) => !message.parent);
    if (found && stage.message !== found.id && !stage.occupied && !composer.typing) page.openMessage(found.id);
    searches.look();
    const hung = fresh.findLast((message) => message.private && message.parent);
    const game = hung && games.byMessage(hung.parent);
    if (game && hung.card?.picture && game.code === stage.game) stage.leaveChoice();
    // Nobody's field goes away while they type: what hangs under the game is there when they look.
    const leads = game && game.status !== "lobby" && (stage.game !== game.code || $("app").dataset.view !== "table");
    if (leads && !composer.typing) page.openGame(game);
    else if (stage.open) stage.changed();
    // What was on the table has gone, such as a lesson from whose end a game began: that one comes.
    const next = Date.now() - begunLast.at < SOON ? games.find(begunLast.code) : null;
    if (next && cleared && stage.message === null && stage.game !== next.code) page.openGame(next, true);
    // What is on offer at the open board is told there, too.
    const board = String(games.find(stage.game)?.message);
    const all = fresh.find(({ author, card, private: hidden }) => !hidden && !author && !card?.table && card?.about !== board);
    const told = fresh.find((message) => message.private && !message.parent && message.card && !message.card.picture);
    if ((all && Date.now() < state.expected) || (told && Date.now() < state.awaited)) view("talk");
  },
  unread(unread) {
    $("view-talk").classList.toggle("news", unread);
  },
};

/** On a phone there is room for one: the table or the conversation. */
function view(which) {
  $("app").dataset.view = which === "table" && !$("stage").hidden ? "table" : which;
  $("view-table").setAttribute("aria-pressed", String(which === "table"));
  $("view-talk").setAttribute("aria-pressed", String(which !== "table"));
  if (which === "talk") log?.settle();
}

async function showMessage(id) {
  view("talk");
  for (let tries = 0; !log.get(id) && state.more && tries < 40; tries += 1) await loadEarlier();
  if (!log.show(id)) banner(say("error.no-such-message"), 5);
}

const context = makeDoings(page);
let log = null;
log = new Log(context);
const composer = new Composer(context);
const names = new Names(context);
const stage = new Stage(context);
const newGame = new NewGame(context);
const chime = new Chime();
const games = new Games(context, waits);
const searches = new Searches(context);
Object.assign(page, { log, composer, stage, games, newGame, searches });

/** The newest game that began while something else was on the table, and when. */
let begunLast = { code: null, at: 0 };

/** Something begins to wait, or ceases to: it is said, shown, and opened where that takes nothing away. */
function waits({ changed, fresh, begun, first }) {
  context.begin(games.all);
  log.refresh(changed);
  composer.forget((message, isBoard) => isBoard && !message.tried && !games.has(message.id));
  if (!first && fresh.length) {
    // Of the turn on the table it is told there what has happened and what is asked.
    announce(...fresh.filter((game) => game.offer || game.code !== stage.told).map((game) => games.words(game)));
    if (fresh.some((game) => game.code !== stage.game || document.hidden)) chime.play();
    for (const game of fresh) chime.notify(game.title, games.words(game), game.code ?? "", () => page.openGame(game));
  }
  const mine = begun.find((game) => game.code !== stage.game);
  const free = !stage.open || (!stage.occupied && games.find(stage.game)?.status !== "playing");
  if (!first && begun.some((game) => game.code === stage.game)) stage.entersNext();
  if (!first && mine && free && !composer.typing) page.openGame(mine, true);
  else if (!first && mine) begunLast = { code: mine.code, at: Date.now() };
  stage.take(games.all);
  if (stage.game !== null && !document.hidden && $("stage").offsetWidth > 0) games.looked(stage.game);
}

const isMe = (person) => person.person === state.me?.person;

function drawPeople() {
  const mine = new Set(state.names.map((name) => name.person));
  $("people-list").replaceChildren(
    ...state.people.map((person) =>
      el(
        "li",
        { class: person.here ? "here" : "away" },
        avatar(person.name, page.tone(person.person)),
        el("span", { class: "name" }, person.name),
        mine.has(person.person) ? el("span", { class: "you" }, say(isMe(person) ? "people.you" : "people.yours")) : null,
        el("span", { class: "unseen" }, say(person.here ? "people.here" : "people.away")),
      ),
    ),
  );
}

function drawManager() {
  $("manager").textContent = state.manager ? say("people.manager") : "";
}

function drawSpeaker() {
  const button = $("speaker");
  button.replaceChildren(avatar(state.me.name, page.tone(state.me.person)));
  button.title = say("names.switch", { name: state.me.name });
  button.setAttribute("aria-label", button.title);
}

function drawWelcome() {
  const { more, me, games, spoken, manager } = state;
  drawIntro($("intro"), { empty: log.empty, more, me, games, spoken, manager, context });
  const wanted = state.greeted === null ? "" : `${me.user} ${language} ${games.length} ${spoken} ${manager}`;
  if (wanted === greeted) return;
  greeted = wanted;
  log.greet(wanted ? drawGreeting({ me, games, spoken, manager, context, onDone: endGreeting }) : null, state.greeted ?? 0);
}

let greeted = "";

/** Return after which message somebody is welcomed who comes among others for the first time, null if nobody is. */
function greetedAfter(messages) {
  const kept = stored(`welcome ${state.me.user}`);
  if (kept !== null) return kept === "done" ? null : Number(kept);
  const known = stored(`seen ${state.me.user}`) !== null || state.names.length > 1;
  if (known || !messages.length) return null;
  const after = Math.max(...messages.map((message) => message.id));
  store(`welcome ${state.me.user}`, String(after));
  return after;
}

function endGreeting() {
  store(`welcome ${state.me.user}`, "done");
  state.greeted = null;
  drawWelcome();
  composer.focus();
}

function drawWords() {
  $("skip").textContent = say("page.skip");
  $("skip-board").textContent = say("page.skip-board");
  $("waiting-title").textContent = say("waiting.title");
  $("people-title").textContent = say("people.title");
  $("earlier").textContent = say("log.earlier");
  $("log").setAttribute("aria-label", say("log.title"));
  $("language").setAttribute("aria-label", say("page.language"));
  $("language").replaceChildren(...languageSwitch(state.languages, language, changeLanguage));
  $("going-title").textContent = say("table.going");
  $("views").setAttribute("aria-label", say("view.title"));
  $("view-table").textContent = say("view.table");
  $("view-talk").textContent = say("view.talk");
  $("release").textContent = page.release();
  composer.translate();
  names.translate();
  stage.translate();
  newGame.translate();
  $("new-game").replaceChildren(icon("add"), el("span", {}, say("newgame.title")));
  chime.draw();
  games.draw();
  if (!state.me) return;
  drawPeople();
  drawManager();
  drawSpeaker();
  drawWelcome();
}

async function changeLanguage(code) {
  store("language", code);
  const hello = await ask(`/api/hello?language=${code}${invited() ? `&join=${invited()}` : ""}`).catch(() => null);
  if (!hello) return banner(say("error.unreachable"), 5);
  useWords(hello.language, hello.words);
  Object.assign(state, { invitation: hello.invitation, games: hello.games, choices: hello.choices, commands: hello.commands });
  drawWords();
  if (state.me) log.refreshAll();
}

async function loadEarlier() {
  const first = log.first;
  if (!state.more || first === null) return;
  const page = await ask(`/api/messages?as=${encodeURIComponent(state.me.user)}&before=${first}&language=${language}`).catch(() => null);
  if (!page) return banner(say("error.unreachable"), 5);
  state.more = page.more;
  $("earlier").hidden = !state.more;
  log.take(page.messages, { earlier: true });
  drawWelcome();
}

function onNews(news) {
  if (news.version !== undefined && state.version !== null && news.version !== state.version) return location.reload();
  if (news.version !== undefined) state.version = news.version;
  if (news.people) {
    state.people = news.people;
    drawPeople();
    drawSpeaker();
  }
  if ("spoken" in news) state.spoken = news.spoken;
  if ("manager" in news) {
    state.manager = news.manager;
    drawManager();
  }
  // What waits comes first: lines are drawn by it.
  const tables = news.tables;
  if (tables && !news.whole) games.take(tables);
  if (news.whole) {
    const first = state.change === null;
    if (!first) log.clear();
    greeted = "";
    state.greeted = greetedAfter(news.messages);
    state.more = news.more;
    $("earlier").hidden = !news.more;
    log.take(news.messages, { first: true, seen: Number(stored(`seen ${state.me.user}`)) });
    if (tables) games.take(tables);
    $("app").dataset.ready = state.me.user;
    if (first) begin();
  } else if (news.messages?.length) log.take(news.messages);
  context.begin((news.messages ?? []).map((message) => message.lot).filter(Boolean));
  if (news.searches) searches.take(news.searches);
  if (news.change !== undefined) state.change = news.change;
  composer.forget((message, isBoard) => (isBoard && !message.tried ? !games.has(message.id) : !log.get(message.id)));
  drawWelcome();
}

function onState(connected, code) {
  $("app").dataset.live = String(connected);
  state.live.connected = connected;
  if (!connected && code === 4001) return start();
  if (!connected) banner(say(code === 4002 ? "error.too-many-tabs" : "error.lost"));
  else if ([say("error.lost"), say("error.too-many-tabs")].includes($("banner").textContent)) banner("");
}

/** Speak as a name from now on; with the code of a game, at its board, which stays where it is. */
function become(name, code = null) {
  state.me = name;
  Object.assign(state, { change: null, greeted: null });
  // Loaded anew, the page opens for the same person what they had on the table.
  const kept = sessionStorage.getItem("speaker") === name.user ? sessionStorage.getItem("table") : null;
  sessionStorage.setItem("speaker", name.user);
  state.live?.close();
  delete $("app").dataset.ready;
  log.clear();
  games.begin(JSON.parse(stored(`over ${name.user}`) ?? "null"));
  if (code === null) stage.close();
  if (kept !== null && code === null) sessionStorage.setItem("table", kept);
  $("app").hidden = false;
  drawWords();
  const live = new Live({
    url: () => `/api/live?as=${encodeURIComponent(name.user)}&language=${language}${state.change === null ? "" : `&since=${state.change}`}`,
    onNews,
    onState,
  });
  state.live = live;
  // Whoever sits down at a board goes on there.
  if (code !== null) stage.enter(code);
  else if (matchMedia("(pointer: fine)").matches) composer.focus();
  if (state.opened !== null) banner(page.told(), 20);
  state.opened = null;
}

/** Begin where the reader left off: with the table that was open, a challenge they followed a link to, or what waits. */
function begin() {
  const kept = JSON.parse(sessionStorage.getItem("table") ?? "null");
  const joining = takeJoin();
  if (joining) join(joining);
  else if (typeof kept === "string" && games.find(kept)) page.openGame(games.find(kept));
  else if (typeof kept === "number" && log.get(kept)?.card?.picture) page.openMessage(kept);
  else if (games.first) page.openGame(games.first);
}

/** Take a seat in a game, or look at it where it has begun; what is said to that is seen on a phone, too. */
function join(code) {
  view("talk");
  context.send(`/join ${code}`, null);
}

/** The code of the game to which the address invites, null where to none; whether there is such a game the server says. */
function invited() {
  return /^#join=([0-9A-Za-z]{1,12})/.exec(location.hash)?.[1].toUpperCase() ?? null;
}

/** Take the code out of the address, too. */
function takeJoin() {
  const found = invited();
  if (found) history.replaceState(history.state, "", location.pathname + location.search);
  return found;
}

async function chooseName() {
  const name = await names.ask();
  // That was said where the name was asked for.
  state.opened = null;
  if (name.user !== state.me?.user) become(name);
}

/** Say to somebody whom the room's manager keeps out why they see nothing, and look now and then whether they may come in. */
function stayOut(why) {
  names.close();
  newGame.close();
  stage.close();
  state.me = null;
  $("app").hidden = true;
  $("out").textContent = sayError(new Refusal(why));
  $("out").hidden = false;
  setTimeout(start, 60_000);
}

/** Begin, or begin again after the server has forgotten this browser. */
async function start() {
  state.live?.close();
  state.live = null;
  const wanted = stored("language") ?? navigator.language;
  const path = `/api/hello?language=${encodeURIComponent(wanted)}${invited() ? `&join=${invited()}` : ""}`;
  let hello = null;
  for (let pause = 500; !hello; pause = Math.min(pause * 2, 8000)) {
    hello = await ask(path).catch(() => null);
    if (!hello) await new Promise((resolve) => setTimeout(resolve, pause));
  }
  useWords(hello.language, hello.words);
  Object.assign(state, { invitation: hello.invitation, names: hello.names, languages: hello.languages, games: hello.games, choices: hello.choices, commands: hello.commands, version: hello.version, release: hello.release, me: null });
  drawWords();
  if (secret !== null) {
    const given = secret;
    secret = null;
    state.opened = (await manage(given)) ?? "manager";
  }
  if (hello.out && state.opened !== "manager") return stayOut(hello.out);
  $("out").hidden = true;
  if (key !== null) {
    const given = key;
    key = null;
    const back = await insist("/api/return", { key: given }).catch((error) => error);
    if (back.name) {
      context.added(back.name);
      return become(back.name);
    }
    state.opened = back instanceof Refusal ? back : new Refusal({ code: "unreachable" });
  }
  const last = sessionStorage.getItem("speaker");
  const only = state.names.length === 1 && location.hash !== "#new" ? state.names[0] : null;
  const known = state.names.find((name) => name.user === last) ?? only;
  if (known) become(known);
  else await chooseName();
}

document.querySelector("[data-avatar=bot]").append(botAvatar());
closer(() => stage.close());
takeDoubleClicksForOne();
$("new-game").addEventListener("click", () => newGame.open());
$("view-table").addEventListener("click", () => view("table"));
$("view-talk").addEventListener("click", () => view("talk"));
document.addEventListener("visibilitychange", () => !document.hidden && stage.game !== null && games.looked(stage.game));
$("speaker").addEventListener("click", chooseName);
$("earlier").addEventListener("click", loadEarlier);
$("large").addEventListener("click", (event) => event.target === $("large") && $("large").close());
$("skip-board").addEventListener("click", (event) => {
  event.preventDefault();
  view("table");
  stage.focus();
});
$("skip").addEventListener("click", (event) => {
  event.preventDefault();
  if (!$("text").checkVisibility()) view("talk");
  composer.focus();
});
new IntersectionObserver(
  (entries) => {
    if (entries[0].isIntersecting && !$("earlier").hidden) loadEarlier();
  },
  { root: $("scroll") },
).observe($("earlier"));
// The link may be opened where the page is already: then nothing is loaded, the address alone changes.
window.addEventListener("hashchange", () => {
  const given = takeSecret();
  key = takeKey();
  if (key !== null) return start();
  const joining = given === null && state.me ? takeJoin() : null;
  if (joining) join(joining);
  if (given === null) return;
  secret = given;
  start();
});
start();
