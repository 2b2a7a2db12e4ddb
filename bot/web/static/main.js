// The page: who is here, what the server says, and everything put together.

import { Composer } from "./composer.js";
import { drawGreeting, drawIntro } from "./intro.js";
import { Log } from "./log.js";
import { manage, takeSecret } from "./manager.js";
import { ask, insist, Live, newEvent, Refusal } from "./net.js";
import { languageSwitch, Names } from "./people.js";
import { avatar, botAvatar, el, image, tool } from "./view.js";
import { Waiting } from "./waiting.js";
import { language, say, sayError, useWords } from "./words.js";

const $ = (id) => document.getElementById(id);

// First of all, before anything can fail.
let secret = takeSecret();

const state = {
  names: [],
  me: null,
  languages: [],
  games: [],
  people: [],
  change: null,
  version: null,
  live: null,
  more: false,
  spoken: null,
  manager: false,
  opened: null,
  greeted: null,
};

const stored = (key) => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};
const store = (key, value) => {
  try {
    localStorage.setItem(key, value);
  } catch {
    // A browser that keeps nothing still shows everything.
  }
};

const quoted = (message) => (message ? { name: message.author.name, text: message.text.slice(0, 120) } : null);

let bannerTimer = 0;

/** Say something above the conversation; without a length of time it stays until it is taken away. */
function banner(text, seconds) {
  clearTimeout(bannerTimer);
  $("banner").textContent = text;
  $("banner").hidden = !text;
  if (seconds) bannerTimer = setTimeout(() => banner(""), seconds * 1000);
}

/** Return what there is to say of a manager's link that was just opened. */
function told() {
  if (state.opened === null) return "";
  return state.opened instanceof Refusal ? sayError(state.opened) : say("people.managed");
}

const speaker = () => ({ as: state.me.user, language });

async function act(path, body, expected = null) {
  try {
    return await insist(path, { ...speaker(), ...body }, { onTrouble: () => banner(say("error.waiting"), 4) });
  } catch (error) {
    if (error instanceof Refusal && error.code === "not-yours") return start();
    if (error instanceof Refusal && error.code === expected) return error;
    banner(error instanceof Refusal ? sayError(error) : say("error.unreachable"), 8);
    return null;
  }
}

const context = {
  me: () => state.me,
  names: () => state.names,
  languages: () => state.languages,
  language: () => language,
  speaker,
  told,
  waits: (name) => state.people.some((person) => person.person === name.person && person.waiting),
  isWaiting: (message) => waiting.has(message.id),
  isWaitedFor: () => waiting.any,
  added(name) {
    state.names = [...state.names.filter((other) => other.user !== name.user), name];
  },
  changeLanguage,
  compose: (text) => composer.put(text),
  focusComposer: () => composer.focus(),
  answer(message) {
    composer.answer(message, !message.author);
  },
  async press(message, press) {
    const element = $(`m${message.parent && log.get(message.parent) ? message.parent : message.id}`);
    if (element?.getAttribute("aria-busy") === "true") return;
    element?.setAttribute("aria-busy", "true");
    log.markRead();
    await act("/api/press", { event: newEvent(), message: message.id, press });
    element?.removeAttribute("aria-busy");
  },
  async dismiss(message) {
    // Gone already is as good: a second press, or an answer that took its place meanwhile.
    const done = await act("/api/dismiss", { message: message.id }, "no-such-message");
    if (done instanceof Refusal) log.take([{ id: message.id, deleted: true }]);
  },
  /** Send what was typed, as talk though it may look like a move; false if it has to be typed again. */
  async send(text, answers, talk = false) {
    const event = newEvent();
    log.markRead();
    const shows = !text.startsWith("/") && !answers?.isBoard;
    if (shows) log.addPending(event, { author: state.me, text, at: Date.now(), answers: quoted(answers?.message) });
    drawWelcome();
    const done = await act("/api/say", { event, text, talk, answers: answers?.message.id ?? null });
    if (!done || done.played) log.dropPending(event);
    else if (shows && !state.live?.connected) log.dropPending(event);
    return done;
  },
  enlarge(picture) {
    const close = tool("close", say("names.close"), () => $("large").close(), { class: "close" });
    $("large").replaceChildren(close, image(picture));
    $("large").setAttribute("aria-label", say("board.enlarged"));
    $("large").showModal();
  },
  hasTapped: () => stored("tapped") !== null,
  /** A cell was pressed: nobody has to be told any more that this can be done. */
  tapped() {
    store("tapped", "yes");
    for (const hint of document.querySelectorAll(".tap")) hint.remove();
  },
  onSeen: (id) => store(`seen ${state.me.user}`, String(id)),
  async showMessage(id) {
    for (let tries = 0; !log.get(id) && state.more && tries < 40; tries += 1) await loadEarlier();
    if (!log.show(id)) banner(say("error.no-such-message"), 5);
  },
};

const log = new Log(context);
const composer = new Composer(context);
const names = new Names(context);
const waiting = new Waiting(context, (changed) => {
  log.refresh(changed);
  composer.forget((message, isBoard) => isBoard && !waiting.has(message.id));
});

const isMe = (person) => person.person === state.me?.person;

function drawPeople() {
  const mine = new Set(state.names.map((name) => name.person));
  $("people-list").replaceChildren(
    ...state.people.map((person) =>
      el(
        "li",
        { class: person.here ? "here" : "away" },
        avatar(person.name),
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
  button.replaceChildren(avatar(state.me.name));
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
  $("waiting-title").textContent = say("waiting.title");
  $("people-title").textContent = say("people.title");
  $("earlier").textContent = say("log.earlier");
  $("log").setAttribute("aria-label", say("log.title"));
  $("language").setAttribute("aria-label", say("page.language"));
  $("language").replaceChildren(...languageSwitch(state.languages, language, changeLanguage));
  composer.translate();
  names.translate();
  waiting.draw();
  if (!state.me) return;
  drawPeople();
  drawManager();
  drawSpeaker();
  drawWelcome();
}

async function changeLanguage(code) {
  store("language", code);
  const hello = await ask(`/api/hello?language=${code}`).catch(() => null);
  if (!hello) return banner(say("error.unreachable"), 5);
  useWords(hello.language, hello.words);
  Object.assign(state, { games: hello.games });
  drawWords();
  if (state.me) log.refreshAll();
}

async function loadEarlier() {
  const first = log.first;
  if (!state.more || first === null) return;
  const page = await ask(`/api/messages?as=${encodeURIComponent(state.me.user)}&before=${first}`).catch(() => null);
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
  }
  if ("spoken" in news) state.spoken = news.spoken;
  if ("manager" in news) {
    state.manager = news.manager;
    drawManager();
  }
  // What waits comes first: the boards are drawn by it.
  if (news.waiting) waiting.take(news.waiting);
  if (news.whole) {
    const first = state.change === null;
    if (!first) log.clear();
    greeted = "";
    state.greeted = greetedAfter(news.messages);
    state.more = news.more;
    $("earlier").hidden = !news.more;
    log.take(news.messages, { first: true, seen: Number(stored(`seen ${state.me.user}`)) });
    $("app").dataset.ready = state.me.user;
  } else if (news.messages?.length) log.take(news.messages);
  if (news.change !== undefined) state.change = news.change;
  composer.forget((message, isBoard) => !log.get(message.id) || (isBoard && !waiting.has(message.id)));
  drawWelcome();
}

function onState(connected, code) {
  $("app").dataset.live = String(connected);
  state.live.connected = connected;
  if (!connected && code === 4001) return start();
  if (!connected) banner(say("error.lost"));
  else if ($("banner").textContent === say("error.lost")) banner("");
}

function become(name) {
  state.me = name;
  Object.assign(state, { change: null, greeted: null });
  sessionStorage.setItem("speaker", name.user);
  state.live?.close();
  delete $("app").dataset.ready;
  log.clear();
  waiting.take([]);
  $("app").hidden = false;
  drawWords();
  const live = new Live({
    url: () => `/api/live?as=${encodeURIComponent(name.user)}${state.change === null ? "" : `&since=${state.change}`}`,
    onNews,
    onState,
  });
  state.live = live;
  composer.focus();
  if (state.opened !== null) banner(told(), 20);
  state.opened = null;
}

async function chooseName() {
  const name = await names.ask();
  // That was said where the name was asked for.
  state.opened = null;
  if (name.user !== state.me?.user) become(name);
}

/** Begin, or begin again after the server has forgotten this browser. */
async function start() {
  state.live?.close();
  state.live = null;
  const wanted = stored("language") ?? navigator.language;
  const path = `/api/hello?language=${encodeURIComponent(wanted)}`;
  let hello = null;
  for (let pause = 500; !hello; pause = Math.min(pause * 2, 8000)) {
    hello = await ask(path).catch(() => null);
    if (!hello) await new Promise((resolve) => setTimeout(resolve, pause));
  }
  useWords(hello.language, hello.words);
  Object.assign(state, { names: hello.names, languages: hello.languages, games: hello.games, version: hello.version, me: null });
  drawWords();
  if (secret !== null) {
    const given = secret;
    secret = null;
    state.opened = (await manage(given)) ?? "manager";
  }
  const last = sessionStorage.getItem("speaker");
  const only = state.names.length === 1 && location.hash !== "#new" ? state.names[0] : null;
  const known = state.names.find((name) => name.user === last) ?? only;
  if (known) become(known);
  else await chooseName();
}

document.querySelector("[data-avatar=bot]").append(botAvatar());
$("speaker").addEventListener("click", chooseName);
$("earlier").addEventListener("click", loadEarlier);
$("large").addEventListener("click", (event) => event.target === $("large") && $("large").close());
$("skip").addEventListener("click", (event) => {
  event.preventDefault();
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
  if (given === null) return;
  secret = given;
  start();
});
start();
