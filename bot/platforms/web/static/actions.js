// The actions of the reader: requests to the server, and what happens with the answers.

import { makeContribution, startAwaited } from "./chances.js";
import { ask, askWithRetries, FEW_ATTEMPTS, newEvent, Refusal } from "./net.js";
import { banner, copy, enlarge, sayNotSent, sayNotSentIfLong, sayUnconfirmed } from "./overlays.js";
import { readSetting, saveSetting } from "./settings.js";
import { shareScreen, sideOf } from "./sides.js";
import { fetchBoard } from "./stage.js";
import { screenTheme } from "./theme.js";
import { removeStoredAction, storeAction, takeStoredActions } from "./unconfirmed.js";
import { isCommand, language, say, sayError } from "./words.js";

const $ = (id) => document.getElementById(id);

const quoteOf = (message) => (message ? { name: message.author.name, text: message.text.slice(0, 120) } : null);

/** Make the actions that the parts of the page can call; `page` has the parts and the state. */
export function makeActions(page) {
  const { state } = page;
  const speaker = () => ({ as: state.me.user, language });

  async function act(path, body, expected = null) {
    const sent = { ...speaker(), theme: screenTheme(), ...body };
    if (sent.event) storeAction(sent.as, path, sent);
    try {
      return await sayUnconfirmed((onRetry) => askWithRetries(path, sent, { onRetry }));
    } catch (error) {
      if (error instanceof Refusal && error.code === "not-yours") return page.start();
      if (error instanceof Refusal && error.code === expected) return error;
      banner(error instanceof Refusal ? sayError(error) : say("error.unreachable"), 8);
      return null;
    } finally {
      removeStoredAction(sent.event);
    }
  }

  /** Open the game that an answer names, if any. */
  function openNamedGame(done) {
    if (done?.open) page.openGame({ code: done.open }, true);
    return done;
  }

  /** Return the contribution to chance that is sent with a press; anything but a move may join a game. */
  const pressContribution = (press) => makeContribution(page.games.find(/^[a-z]+!?:(\w+):/.exec(press)?.[1]), state.me.person, !/^[cp]:/.test(press));

  /** The same for a typed text: for the board that it answers, or the open table. */
  function textContribution(text, answers) {
    const table = answers?.isBoard ? page.games.findByMessage(answers.message.id) : page.games.find(page.stage.game);
    return makeContribution(table, state.me.person, isCommand(text));
  }

  const lobbies = new Map();
  /** What messages of the bot say in the reader's language, by what they say in the room's. */
  const translations = new Map();

  return {
    speaker,
    me: () => state.me,
    games: () => state.games,
    choices: () => state.choices,
    people: () => state.people,
    newGame: (key) => page.openNewGame(key),
    /** Ask for a name if the reader has none yet; resolves with whether they have one. */
    needName: () => page.needName(),
    tables: () => page.games.all,
    myGames: () => page.games.mine,
    waitingCount: () => page.games.waitingCount,
    drawLobby: () => page.drawLobby(),
    isManager: () => state.manager,
    /** Whether the reader may change the language of the room, which is another than theirs. */
    offersRoomLanguage: () => state.manager && state.spoken !== language,
    /** Press a button of the menu in the bar; its answer is on the sheet, or opens a board. */
    pressMenu(press) {
      page.expectPrivateAnswer();
      return this.sendPress(null, press);
    },
    names: () => state.names,
    languages: () => state.languages,
    language: () => language,
    managerNotice: () => page.managerNotice(),
    versionText: () => page.versionText(),
    invitation: () => state.invitation,
    toneOf: (person) => page.toneOf(person),
    hasWaitingGame: (name) => state.people.some((person) => person.person === name.person && person.waiting),
    isWaitedFor: () => page.games.waitingCount > 0 || page.stage.message !== null,
    addName(name) {
      state.names = [...state.names.filter((other) => other.user !== name.user), name];
    },
    changeLanguage: (code) => page.changeLanguage(code),
    compose(text) {
      page.sheet.close();
      page.showView("talk");
      page.composer.setText(text);
    },
    focusComposer: () => page.composer.focus(),
    answer: (message) => page.composer.answer(message, false),
    answerTable(code) {
      const table = page.games.find(code);
      if (table) page.composer.answer(page.log.get(table.message) ?? { id: table.message }, true);
    },
    /** Let the text be a line to try out on a private board. */
    answerTry: (message) => page.composer.answer({ ...message, tried: true }, true),
    // The table.
    fetchBoard: (code, turn) => fetchBoard(speaker(), code, turn),
    fetchTurns: (code) => ask(`/api/turns?${new URLSearchParams({ ...speaker(), game: code })}`),
    /** Fetch the reason why a cell cannot be pressed; empty if there is none. */
    fetchReason: (cell, at, open) => ask("/api/cell", { ...speaker(), cell, at, open }).then(({ why }) => why, () => ""),
    /** Return a command's name in the reader's language. */
    commandName: (name) => state.commands[name] ?? name,
    openCode: () => page.stage?.game ?? null,
    openBoard: () => page.stage?.board ?? null,
    table: (code) => page.games.find(code),
    message: (id) => page.log.get(id),
    messages: () => (page.sheet.message ? [...page.log.all, page.sheet.message] : page.log.all),
    attachedTo: (id) => page.log.attachedTo(id),
    /** Make the progress bar of the search that a message waits for, null if none is running. */
    search: (message) => page.searches.element(message),
    /** Draw messages again. */
    redraw(chosen) {
      page.log.refresh(page.log.all.filter(chosen).map(({ id, parent }) => (page.log.get(parent) ? parent : id)));
      if (page.sheet.message && chosen(page.sheet.message)) page.sheet.show(page.sheet.message);
      page.stage.redraw();
    },
    openGame: (game) => page.openGame(game),
    openMessage: (id) => page.openMessage(id),
    /** Whether the table shows a private message. */
    isOnTable: (id) => page.stage?.message === id,
    rememberTable: (what) => page.rememberTable(what),
    onTableShown: (open) => page.onTableShown(open),
    expectPublicAnswer: () => page.expectPublicAnswer(),
    expectPrivateAnswer: () => page.expectPrivateAnswer(),
    onMessages: (changed, fresh) => page.onMessages(changed, fresh),
    showUnread: (unread) => page.showUnread(unread),
    saveSeenGames: (codes) => state.me && saveSetting(`over ${state.me.user}`, JSON.stringify(codes)),
    /** Return a lobby's card in the reader's language, or null: then it is fetched once and passed to `fill`. */
    lobby(table, fill) {
      const key = `${table.code} ${table.revision} ${language} ${state.me.user}`;
      if (lobbies.has(key)) return lobbies.get(key);
      fetchBoard(speaker(), table.code, null).then((view) => {
        lobbies.set(key, view);
        fill(view);
      }, () => {});
      return null;
    },
    /** Return a message of the bot to all as the reader reads it; where that is not known yet it is fetched, and drawn again. */
    translated(message) {
      const { card } = message;
      if (message.private || message.retired || message.used || card.table || state.spoken === language || !state.me) return card;
      const key = `${language} ${message.id} ${card.text.map(({ text }) => text).join("")}`;
      if (!translations.has(key)) {
        translations.set(key, null);
        ask(`/api/words?${new URLSearchParams({ ...speaker(), message: message.id })}`).then((found) => {
          if (!found.card) return;
          translations.set(key, found.card);
          page.log.refresh([message.id]);
        }, () => {});
      }
      return { ...card, ...translations.get(key) };
    },
    async sendPress(message, press) {
      page.log.markRead();
      // The panel asks which game to play, wherever the button is.
      const wanted = /^(?:choose|new=([a-z0-9-]+))$/.exec(press);
      if (wanted) return page.openNewGame(wanted[1]);
      if (!(await page.needName())) return null;
      const side = sideOf(page.stage.game);
      return openNamedGame(await act("/api/press", { event: newEvent(), message, press, side, chance: await pressContribution(press) }));
    },
    /** Send again what was not confirmed when the page was closed. */
    async sendStoredActions() {
      const { again, late } = takeStoredActions(state.me.user);
      if (late) banner(say("error.not-made"), 12);
      for (const { path, body } of again) openNamedGame(await act(path, body));
    },
    /** Start the games and cups that wait for the contribution of a name of this browser. */
    startAwaitedGames(tables) {
      startAwaited(tables, state.names, async (table, name) => {
        const body = { as: name.user, language, event: newEvent(), game: table.code, cup: table.cup === true };
        const chance = await makeContribution(table, name.person, false);
        await askWithRetries("/api/begin", { ...body, chance }, { tries: FEW_ATTEMPTS }).catch(() => null);
      });
    },
    async press(message, press) {
      const element = $(`m${message.parent && page.log.get(message.parent) ? message.parent : message.id}`);
      if (element?.getAttribute("aria-busy") === "true") return sayNotSentIfLong(Number(element.dataset.pressed));
      element?.setAttribute("aria-busy", "true");
      if (element) element.dataset.pressed = performance.now();
      page.expectPrivateAnswer();
      const done = await this.sendPress(message.id, press);
      element?.removeAttribute("aria-busy");
      if (done?.board) page.openGame(done.board.table);
    },
    /** Send a form that was filled in. */
    async fillForm(message, press, values) {
      page.expectPrivateAnswer();
      return openNamedGame(await act("/api/form", { event: newEvent(), message: message.id, press, values }));
    },
    async dismiss(message) {
      // It may be gone already, by a second press or a newer answer.
      const done = await act("/api/dismiss", { message: message.id }, "no-such-message");
      if (done instanceof Refusal) page.log.update([{ id: message.id, deleted: true }]);
    },
    /** Send a text, with `talk` as chat even if it looks like a move; resolves with null if it could not be sent. */
    async send(text, answers, talk = false) {
      if (!(await page.needName())) return null;
      const event = newEvent();
      page.log.markRead();
      page.sheet.closePassing();
      const shows = !isCommand(text) && !answers?.isBoard;
      if (shows) page.log.addPending(event, { author: state.me, text, at: Date.now(), answers: quoteOf(answers?.message) });
      page.drawWelcome();
      if (page.stage.message !== null) page.expectBoardAnswer();
      if (answers?.isBoard) page.stage.expectMove(text);
      const said = { event, text, talk, answers: answers?.message.id ?? null, open: page.stage.board };
      const done = openNamedGame(await act("/api/say", { ...said, chance: await textContribution(text, answers) }));
      if (!done || done.played) page.log.dropPending(event);
      else if (shows && state.live?.state !== "live") page.log.dropPending(event);
      if (done?.played || answers?.isBoard) page.stage.refresh();
      if (done?.onBoard) page.showView("table");
      // If the table hides the text field, the focus goes to the board.
      if (done?.played && !$("text").checkVisibility()) page.stage.focusMoved(text);
      return done;
    },
    /** Create a game by its command, once; `others` are names of this browser that join it. Return its code, if any. */
    async play(line, others = []) {
      if (state.begins) return sayNotSent();
      if (!(await page.needName())) return null;
      state.begins = true;
      const done = await this.send(line, null).finally(() => {
        state.begins = false;
      });
      // The conversation shows why there is no game.
      if (!done?.open) {
        page.showView("talk");
        return null;
      }
      if (others.length) shareScreen(done.open);
      for (const name of others) {
        const chance = await makeContribution(null, name.person, true);
        await act("/api/say", { as: name.user, event: newEvent(), text: `/join ${done.open}`, chance });
      }
      return done.open;
    },
    /** Switch to another name of this browser at the open game. */
    switchTo: (name, code) => page.switchTo(name, code),
    enlarge,
    /** Return what the page has beside the table that a phone has no room for. */
    pageControls: () => ["people", "language", "calls"].map($),
    /** Copy the link to a challenge. */
    copyLink: (code) => copy(`${location.origin}/#join=${code}`),
    copy,
    /** Make the switches for what this browser does when the reader's turn comes. */
    callSwitches: () => page.chime.switches(),
    warnOfTime: () => page.chime.warn(),
    hasTapped: () => readSetting("tapped") !== null,
    /** Remove the hint that cells can be pressed. */
    noteTapped() {
      saveSetting("tapped", "yes");
      for (const hint of document.querySelectorAll(".tap")) hint.remove();
    },
    onSeen: (id) => saveSetting(`seen ${state.me.user}`, String(id)),
  };
}
