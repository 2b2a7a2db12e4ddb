// The actions of the table inside an app: requests go through the session, and only this page stores the answers.

import { rollDice } from "./app-dice.js";
import { newEvent, Refusal } from "./net.js";
import { banner, enlarge, sayUnconfirmed } from "./overlays.js";
import { sideOf } from "./sides.js";
import { screenTheme } from "./theme.js";
import { removeStoredAction, storeAction, takeStoredActions } from "./unconfirmed.js";
import { el } from "./view.js";
import { language, say, sayError } from "./words.js";

const MAX_REPLAYED_TURNS = 6;
// How many of the newest pictures of boards are kept; the server hears of half of them, so that those stay meanwhile.
const MAX_KEPT_PICTURES = 12;

/** Make the context; `page` has the session, the host, the stage and the person. */
export function makeContext(page) {
  const { session, host } = page;
  /** The newest known state of each game that was opened here. */
  const tables = new Map();
  /** Private answers by their ids. */
  const messages = new Map();
  let lastNumber = 0;

  const owner = () => `${host.name} ${page.me.user}`;

  /** The newest pictures of boards by their digests: what this page has is not sent again. */
  const pictures = new Map();
  const seen = () => [...pictures.keys()].slice(-MAX_KEPT_PICTURES / 2).join(",");

  /** Return a view of a board with its picture, which may have come before. */
  function withPicture(view) {
    const { picture } = view.card;
    if (!picture) return view;
    picture.url ??= pictures.get(picture.digest);
    pictures.delete(picture.digest);
    pictures.set(picture.digest, picture.url);
    for (const old of [...pictures.keys()].slice(0, -MAX_KEPT_PICTURES)) pictures.delete(old);
    return view;
  }

  async function act(path, body) {
    const sent = { event: newEvent(), theme: screenTheme(), ...body, seen: seen() };
    storeAction(owner(), path, sent);
    try {
      return await sayUnconfirmed((onRetry) => session.send(path, sent, onRetry));
    } catch (error) {
      host.haptic("error");
      banner(error instanceof Refusal ? sayError(error) : say("error.unreachable"), 8);
      return null;
    } finally {
      removeStoredAction(sent.event);
    }
  }

  function add(card, parent = undefined) {
    lastNumber += 1;
    const message = { id: `n${lastNumber}`, private: true, card: { rows: [], presses: {}, calls: [], text: [], ...card }, parent };
    if (parent !== undefined) {
      // A board has one text and one picture below it: the newest of each.
      for (const old of attachedTo(parent)) if (!old.card.picture || message.card.picture) messages.delete(old.id);
    }
    messages.set(message.id, message);
    return message;
  }

  /** The newest throws of each game, with the turn in which they fell. */
  const lastDice = new Map();

  /** Revisions announced for games that are still loading: the loaded state may be older. */
  const pendingRevisions = new Map();

  /** Animate the dice that were rolled since the last time. */
  function rollNewDice(code, { dice, turns, table }) {
    const before = lastDice.get(code);
    // Answers can overtake each other.
    if (before && before.revision > table.revision) return;
    lastDice.set(code, { dice, turns, revision: table.revision });
    if (!before || !dice.length || document.hidden) return;
    if (turns !== before.turns || dice.join(" ") !== before.dice.join(" ")) rollDice(dice.at(-1));
  }

  /** Whether a card has a picture with cells, for which there is the table. */
  const isBoard = ({ picture }) => Boolean(picture) && Object.keys(picture.spots).length > 0;

  const attachedTo = (parent) => [...messages.values()].filter((message) => message.parent === parent);

  /** Show an answer about a game; `source` is the private message that was pressed, if any; `above`: it was shown above everything. */
  function showAnswer(done, game, source = null, above = false) {
    if (done?.board) withPicture(done.board);
    if (!done || done.board) return done;
    const { card } = done;
    if (source && done.update) {
      if (card && (above || isBoard(card) || source.parent !== undefined)) {
        Object.assign(source, { card: { rows: [], presses: {}, calls: [], text: [], ...card } });
        if (above && !isBoard(card)) page.sheet.show(source);
        else if (above) page.sheet.remove();
        if (isBoard(card) && source.parent === undefined && page.stage.message !== source.id && (above || !page.stage.isOccupied)) page.openMessage(source.id);
      } else {
        messages.delete(source.id);
        if (card) page.sheet.show(add(card));
        else if (above) page.sheet.remove();
      }
    } else if (card && done.public) {
      banner(say("app.said"), 4);
    } else if (card) {
      const parent = source?.parent ?? (source || done.apart ? undefined : game ?? undefined);
      if (parent !== undefined) add(card, parent);
      else if (isBoard(card)) page.openMessage(add(card).id);
      else page.sheet.show(add(card));
    }
    if (above && !done.update && page.sheet.message === source) page.sheet.close();
    if (done.open && done.open !== page.stage.game) page.openGame({ code: done.open }, true);
    else if (done.open) page.stage.refresh();
    else page.stage.redraw();
    page.searches.showResults();
    return done;
  }

  const context = {
    speaker: () => ({ language }),
    me: () => page.me,
    names: () => [],
    people: () => [],
    warnOfTime: () => host.haptic("warning"),
    games: () => page.home.data?.rules ?? [],
    choices: () => page.home.data?.choices ?? { levels: [], clocks: [{ value: "" }] },
    kinds: () => (page.home.data?.chat || host.invitesAlone ? ["computer", "invitation"] : ["computer"]),
    language: () => language,
    commandName: (name) => name,
    home: () => session.look(`/api/home`),
    async fetchBoard(code, turn) {
      const query = new URLSearchParams({ game: code, theme: screenTheme() });
      if (turn !== null && turn !== undefined) query.set("turn", String(turn));
      if (sideOf(code) !== null) query.set("side", String(sideOf(code)));
      const first = page.first;
      page.first = null;
      const isFirst = first?.table.code === code && !query.has("turn") && !query.has("side");
      query.set("seen", seen());
      const view = withPicture(isFirst ? first : await session.look(`/api/board?${query}`));
      if (view.turn === null) {
        // A newer revision makes the table load again.
        context.note({ ...view.table, revision: Math.max(view.table.revision, pendingRevisions.get(code) ?? 0) });
        pendingRevisions.delete(code);
        rollNewDice(code, view);
      }
      return view;
    },
    /** Record that a game that is still loading has reached a revision (unknown if none is given). */
    notePendingRevision(code, revision = Infinity) {
      pendingRevisions.set(code, Math.max(revision, pendingRevisions.get(code) ?? 0));
    },
    note(table) {
      tables.set(table.code, { ...table, message: table.code });
    },
    fetchTurns: (code) => session.look(`/api/turns?${new URLSearchParams({ game: code })}`),
    /** Return the numbers of the turns since the reader's last one, including it; empty if there is nothing to replay. */
    async listMissedTurns(code) {
      if (!tables.get(code)?.turn || document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches) return [];
      const found = await context.fetchTurns(code).catch(() => null);
      if (!found || found.seat === null) return [];
      const last = found.turns.findLastIndex(({ seat }) => seat === found.seat) + 1;
      const all = Array.from({ length: found.turns.length - last }, (_, at) => last + at);
      return last > 0 ? all.slice(-MAX_REPLAYED_TURNS) : [];
    },
    fetchReason: (cell, at, open) => session.ask("/api/cell", { cell, at, open: context.describeOpenBoard(open) }).then(({ why }) => why, () => ""),
    /** Describe the open board to the server; a private one by its buttons. */
    describeOpenBoard(open = page.stage.board) {
      const message = messages.get(open?.message);
      if (!message) return open?.game ? { game: open.game } : null;
      return { game: open.game, presses: context.collectPresses(message.card) };
    },
    collectPresses(card) {
      const rows = card.rows.flatMap((row) => (Array.isArray(row) ? row : row.options)).map(({ press }) => [`press:${press}`, press]);
      return { ...card.presses, ...Object.fromEntries(rows) };
    },
    /** Send again what was not confirmed when the page was closed. */
    async sendStoredActions() {
      const { again, late } = takeStoredActions(owner());
      if (late) banner(say("error.not-made"), 12);
      for (const { path, body } of again) showAnswer(await act(path, body), page.stage.game);
    },
    openBoard: () => page.stage.board,
    table: (code) => tables.get(code),
    tables: () => [...tables.values()],
    message: (id) => messages.get(id),
    messages: () => [...messages.values()],
    search: (message) => page.searches.element(message),
    attachedTo,
    openGame: (game, enters) => page.openGame(game, enters),
    openMessage: (id) => page.openMessage(id),
    isOnTable: (id) => page.stage.message === id,
    rememberTable: (open) => page.rememberTable(open),
    onTableShown: (open) => page.onTableShown(open),
    expectPublicAnswer() {},
    expectPrivateAnswer() {},
    async sendPress(_, press) {
      const wanted = /^(?:choose|new=([a-z0-9-]+))$/.exec(press);
      if (wanted) return context.newGame(wanted[1]);
      // Another game may be open when the answer comes.
      const { game } = page.stage;
      const shown = showAnswer(await act("/api/press", { press, side: sideOf(game) }), game);
      // A question or a refusal leaves the board's half-made choice as it is.
      return shown?.card && !shown.update ? { ...shown, open: game } : shown;
    },
    async press(message, press) {
      const above = message === page.sheet.message;
      const wanted = /^(?:choose|new=([a-z0-9-]+))$/.exec(press);
      if (above && wanted) page.sheet.close();
      if (wanted) return context.newGame(wanted[1]);
      const { game } = page.stage;
      const answer = await act("/api/press", { press, open: context.describeOpenBoard({ game, message: message.id }) });
      const done = showAnswer(answer, game, messages.get(message.id) ?? message, above);
      if (done?.board) page.openGame(done.board.table);
      return done;
    },
    /** Send a form that was filled in. */
    async fillForm(message, press, values) {
      return showAnswer(await act("/api/form", { press, values }), page.stage.game, message, true);
    },
    dismiss(message) {
      messages.delete(message.id);
      page.stage.redraw();
      if (!page.stage.isOpen && !page.home.isOpen) page.showHome();
    },
    async say(text, where = "alone") {
      const { game, board } = page.stage;
      return showAnswer(await act("/api/say", { text, where, open: context.describeOpenBoard() }), game, messages.get(board?.message) ?? null);
    },
    play: (line) => context.say(line, / computer:/.test(line) || !page.home.data?.chat ? "alone" : "chat"),
    send: (text) => context.say(text),
    async newGame(key = null) {
      if (!page.home.data) await page.home.refresh();
      const panel = page.home.data && (await page.newGamePanel().catch(() => null));
      if (panel) panel.open(key);
      else banner(say("error.unreachable"), 8);
    },
    compose: (text) => page.openTypingForm(text),
    answerTable: () => page.openTypingForm(""),
    answerTry: () => page.openTypingForm(""),
    enlarge,
    hasTapped: () => page.hasTapped,
    noteTapped() {
      page.hasTapped = true;
      host.haptic("tap");
      for (const hint of document.querySelectorAll(".tap")) hint.remove();
    },
  };
  return context;
}

/** Make the form for typing a move or a line. */
export function makeTypingForm(value, onSend, onClose) {
  const field = el("input", { name: "line", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: "300", "aria-label": say("app.type") });
  field.value = value;
  const form = el(
    "form",
    {},
    el("h2", { id: "note-title" }, say("app.type")),
    field,
    el(
      "div",
      { class: "row" },
      el("button", { type: "submit", class: "key primary" }, say("app.send")),
      el("button", { type: "button", class: "key", on: { click: onClose } }, say("names.close")),
    ),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = field.value.trim();
    onClose();
    if (text) onSend(text);
  });
  return { form, field };
}
