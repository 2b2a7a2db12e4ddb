// What the reader does: everything that is sent to the server, and what becomes of the answer.

import { awaited, given } from "./chances.js";
import { ask, insist, newEvent, PATIENT, Refusal } from "./net.js";
import { lookAt } from "./stage.js";
import { screenTheme } from "./theme.js";
import { el, image, tool } from "./view.js";
import { language, say, sayError } from "./words.js";

const $ = (id) => document.getElementById(id);

export const stored = (key) => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};
export const store = (key, value) => {
  try {
    localStorage.setItem(key, value);
  } catch {
    // A browser that keeps nothing still shows everything.
  }
};

let bannerTimer = 0;

/** Say something above everything; without a length of time it stays until it is taken away. */
export function banner(text, seconds) {
  clearTimeout(bannerTimer);
  $("banner").textContent = text;
  $("banner").hidden = !text;
  if (seconds) bannerTimer = setTimeout(() => banner(""), seconds * 1000);
}

const quoted = (message) => (message ? { name: message.author.name, text: message.text.slice(0, 120) } : null);

/** Make what elements are given to do; `page` has the parts of the page and what they know. */
export function makeDoings(page) {
  const { state } = page;
  const speaker = () => ({ as: state.me.user, language });

  async function act(path, body, expected = null, tries = undefined) {
    const onTrouble = () => banner(say("error.waiting"), 4);
    try {
      return await insist(path, { ...speaker(), theme: screenTheme(), ...body }, { tries, onTrouble });
    } catch (error) {
      if (error instanceof Refusal && error.code === "not-yours") return page.start();
      if (error instanceof Refusal && error.code === expected) return error;
      banner(error instanceof Refusal ? sayError(error) : say("error.unreachable"), 8);
      return null;
    }
  }

  /** Open what an answer says is to be opened. */
  function opened(done) {
    if (done?.open) page.openGame({ code: done.open }, true);
    return done;
  }

  /** What goes with a press for the chance of its game; anything but a move may be the joining of another. */
  const pressGives = (press) => given(page.games.find(/^[a-z]+!?:(\w+):/.exec(press)?.[1]), state.me.person, !/^[cp]:/.test(press));

  /** The same for what is typed: to a board that it answers, or else at the open table. */
  function textGives(text, answers) {
    const table = answers?.isBoard ? page.games.byMessage(answers.message.id) : page.games.find(page.stage.game);
    return given(table, state.me.person, text.startsWith("/"));
  }

  const lobbies = new Map();

  return {
    speaker,
    me: () => state.me,
    games: () => state.games,
    choices: () => state.choices,
    people: () => state.people,
    newGame: (key) => page.newGame.open(key),
    names: () => state.names,
    languages: () => state.languages,
    language: () => language,
    told: () => page.told(),
    release: () => page.release(),
    invitation: () => state.invitation,
    tone: (person) => page.tone(person),
    waits: (name) => state.people.some((person) => person.person === name.person && person.waiting),
    isWaitedFor: () => page.games.any || page.stage.message !== null,
    added(name) {
      state.names = [...state.names.filter((other) => other.user !== name.user), name];
    },
    changeLanguage: (code) => page.changeLanguage(code),
    compose(text) {
      page.view("talk");
      page.composer.put(text);
    },
    focusComposer: () => page.composer.focus(),
    answer: (message) => page.composer.answer(message, false),
    answerTable(code) {
      const table = page.games.find(code);
      if (table) page.composer.answer(page.log.get(table.message) ?? { id: table.message }, true);
    },
    /** From now on what is typed is tried out, on the private board that a message shows. */
    answerTry: (message) => page.composer.answer({ ...message, tried: true }, true),
    // The table.
    look: (code, turn) => lookAt(speaker(), code, turn),
    turns: (code) => ask(`/api/turns?${new URLSearchParams({ ...speaker(), game: code })}`),
    /** Which rule stands in the way of pressing a cell; empty where none does, or nobody can tell now. */
    explain: (cell, at, open) => ask("/api/cell", { ...speaker(), cell, at, open }).then(({ why }) => why, () => ""),
    /** What a command is called in the reader's language. */
    called: (name) => state.commands[name] ?? name,
    openCode: () => page.stage?.game ?? null,
    openBoard: () => page.stage?.board ?? null,
    table: (code) => page.games.find(code),
    message: (id) => page.log.get(id),
    messages: () => page.log.all,
    hung: (id) => page.log.hung(id),
    /** What shows how far the search is that a message waits for, null where none runs. */
    search: (message) => page.searches.element(message),
    /** Draw messages anew, wherever they stand. */
    redraw(chosen) {
      page.log.refresh(page.log.all.filter(chosen).map(({ id, parent }) => (page.log.get(parent) ? parent : id)));
      page.stage.changed();
    },
    openGame: (game) => page.openGame(game),
    openMessage: (id) => page.openMessage(id),
    /** Whether a private message is what the table shows. */
    isOnTable: (id) => page.stage?.message === id,
    remember: (what) => page.remember(what),
    onStage: (open) => page.onStage(open),
    expects: () => page.expects(),
    awaits: () => page.awaits(),
    taken: (changed, fresh) => page.taken(changed, fresh),
    unread: (unread) => page.unread(unread),
    keepOver: (codes) => state.me && store(`over ${state.me.user}`, JSON.stringify(codes)),
    /** A lobby's card in the reader's language; it is asked for once a revision, and filled in when it is there. */
    lobby(table, fill) {
      const key = `${table.code} ${table.revision} ${language} ${state.me.user}`;
      if (lobbies.has(key)) return lobbies.get(key);
      lookAt(speaker(), table.code, null).then((view) => {
        lobbies.set(key, view);
        fill(view);
      }, () => {});
      return null;
    },
    async pressed(message, press) {
      page.log.markRead();
      // Which game to play, and how, is asked by the panel, whatever asks for it.
      const wanted = /^(?:choose|new=([a-z0-9-]+))$/.exec(press);
      if (wanted) return page.newGame.open(wanted[1]);
      return opened(await act("/api/press", { event: newEvent(), message, press, chance: await pressGives(press) }));
    },
    /** Games and competitions begin that wait for what a name of this browser gives to the lot. */
    begin(tables) {
      awaited(tables, state.names, async (table, name) => {
        const body = { as: name.user, language, event: newEvent(), game: table.code, cup: table.cup === true };
        await insist("/api/begin", { ...body, chance: await given(table, name.person, false) }).catch(() => null);
      });
    },
    async press(message, press) {
      const element = $(`m${message.parent && page.log.get(message.parent) ? message.parent : message.id}`);
      if (element?.getAttribute("aria-busy") === "true") return;
      element?.setAttribute("aria-busy", "true");
      page.awaits();
      const done = await this.pressed(message.id, press);
      element?.removeAttribute("aria-busy");
      if (done?.board) page.openGame(done.board.table);
    },
    async dismiss(message) {
      // Gone already is as good: a second press, or an answer that took its place meanwhile.
      const done = await act("/api/dismiss", { message: message.id }, "no-such-message");
      if (done instanceof Refusal) page.log.take([{ id: message.id, deleted: true }]);
    },
    /** Send what was typed, as talk though it may look like a move; false if it has to be typed again. */
    async send(text, answers, talk = false) {
      const event = newEvent();
      page.log.markRead();
      const shows = !text.startsWith("/") && !answers?.isBoard;
      if (shows) page.log.addPending(event, { author: state.me, text, at: Date.now(), answers: quoted(answers?.message) });
      page.drawWelcome();
      if (page.stage.message !== null) page.expectsOnTable();
      if (answers?.isBoard) page.stage.expectMove(text);
      const said = { event, text, talk, answers: answers?.message.id ?? null, open: page.stage.board };
      const done = opened(await act("/api/say", { ...said, chance: await textGives(text, answers) }, null, PATIENT));
      if (!done || done.played) page.log.dropPending(event);
      else if (shows && !state.live?.connected) page.log.dropPending(event);
      if (done?.played || answers?.isBoard) page.stage.refresh();
      if (done?.onBoard) page.view("table");
      // Whoever had to leave the conversation for the board goes on there.
      if (done?.played && !$("text").checkVisibility()) page.stage.enterAt(text);
      return done;
    },
    /** Begin a game by its line, once; `others` are the names of this browser that take their seats in it at once. */
    async play(line, others = []) {
      if (state.begins) return;
      state.begins = true;
      const done = await this.send(line, null).finally(() => {
        state.begins = false;
      });
      // Why there is no game is said in the conversation.
      if (!done?.open) return page.view("talk");
      for (const name of others) {
        const chance = await given(null, name.person, true);
        await act("/api/say", { as: name.user, event: newEvent(), text: `/join ${done.open}`, chance }, null, PATIENT);
      }
    },
    /** Have another name of this browser sit down at the game that is open. */
    sit: (name, code) => page.become(name, code),
    enlarge(picture) {
      const close = tool("close", say("names.close"), () => $("large").close(), { class: "close" });
      $("large").replaceChildren(close, image(picture));
      $("large").setAttribute("aria-label", say("board.enlarged"));
      $("large").showModal();
    },
    /** Copy the link to a challenge; where the browser does not let us, show it to be copied. */
    async copyLink(code) {
      await copy(`${location.origin}/#join=${code}`);
    },
    copy,
    hasTapped: () => stored("tapped") !== null,
    /** A cell was pressed: nobody has to be told any more that this can be done. */
    tapped() {
      store("tapped", "yes");
      for (const hint of document.querySelectorAll(".tap")) hint.remove();
    },
    onSeen: (id) => store(`seen ${state.me.user}`, String(id)),
  };
}

/** Copy an address; where the browser does not let us, show it to be copied by hand. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    banner(say("table.copied"), 4);
  } catch {
    const field = el("input", { class: "copied", readonly: true, value: text, "aria-label": say("table.link") });
    const close = tool("close", say("names.close"), () => $("large").close(), { class: "close" });
    $("large").replaceChildren(close, el("p", {}, say("table.copy")), field);
    $("large").setAttribute("aria-label", say("table.link"));
    $("large").showModal();
    field.select();
  }
}
