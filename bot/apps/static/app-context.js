// What the table is given to do here: everything goes to the server by the session, and answers are kept by the page alone.

import { rollDice } from "./app-dice.js";
import { newEvent, Refusal } from "./net.js";
import { screenTheme } from "./theme.js";
import { el, image, tool } from "./view.js";
import { language, say, sayError } from "./words.js";

const $ = (id) => document.getElementById(id);

// How many turns are played back at most.
const MISSED = 6;

let bannerTimer = 0;

/** Say something above everything; without a length of time it stays until it is taken away. */
export function banner(text, seconds) {
  clearTimeout(bannerTimer);
  $("banner").textContent = text;
  $("banner").hidden = !text;
  if (seconds) bannerTimer = setTimeout(() => banner(""), seconds * 1000);
}

/** Make the context; `page` has the session, the host, the stage, and who somebody is. */
export function makeContext(page) {
  const { session, host } = page;
  /** The games that were looked at here, as they stood last; each stands for a message of its own. */
  const tables = new Map();
  /** Answers for this reader alone, by their ids. */
  const messages = new Map();
  let numbered = 0;

  async function act(path, body) {
    try {
      return await session.send(path, { event: newEvent(), theme: screenTheme(), ...body }, () => banner(say("error.waiting"), 4));
    } catch (error) {
      host.haptic("error");
      banner(error instanceof Refusal ? sayError(error) : say("error.unreachable"), 8);
      return null;
    }
  }

  function add(card, parent = undefined) {
    numbered += 1;
    const message = { id: `n${numbered}`, private: true, card: { rows: [], presses: {}, calls: [], text: [], ...card }, parent };
    if (parent !== undefined) {
      // Of what hangs under a board the newest words stay, and the newest picture.
      for (const old of hung(parent)) if (!old.card.picture || message.card.picture) messages.delete(old.id);
    }
    messages.set(message.id, message);
    return message;
  }

  /** What has fallen in each game so far. */
  const fallen = new Map();

  /** What was heard of games whose first look is still on its way: they may have moved on since its answer was made. */
  const heard = new Map();

  /** Let the dice roll that have fallen since the game was looked at last. */
  function roll(code, { dice = [], table }) {
    const before = fallen.get(code);
    fallen.set(code, `${table.position} ${dice.join(" ")}`);
    if (before === undefined || before === fallen.get(code) || !dice.length || document.hidden) return;
    rollDice(dice.at(-1));
  }

  const hung = (parent) => [...messages.values()].filter((message) => message.parent === parent);

  /** Show what was answered; `source` is the private message that was pressed, if one was, `above` whether over all. */
  function take(done, source = null, above = false) {
    if (!done || done.board) return done;
    const { card } = done;
    if (source && done.update) {
      if (card?.picture || (card && source.parent !== undefined)) {
        Object.assign(source, { card: { rows: [], presses: {}, calls: [], text: [], ...card } });
        if (source.parent === undefined && page.stage.message !== source.id && (above || !page.stage.occupied)) page.openMessage(source.id);
      } else {
        messages.delete(source.id);
        if (card) note(card);
      }
    } else if (card && done.public) {
      banner(say("app.said"), 4);
    } else if (card) {
      const parent = source?.parent ?? (source || done.apart ? undefined : page.stage.game ?? undefined);
      if (parent !== undefined) add(card, parent);
      else if (card.picture) page.openMessage(add(card).id);
      else note(card);
    }
    if (done.open && done.open !== page.stage.game) page.openGame({ code: done.open }, true);
    else if (done.open) page.stage.refresh();
    else page.stage.changed();
    page.searches.look();
    return done;
  }

  /** Show words, with what can be pressed, above everything. */
  function note(card) {
    page.note(add(card));
  }

  const context = {
    speaker: () => ({ language }),
    me: () => page.me,
    names: () => [],
    people: () => [],
    games: () => page.home.told?.rules ?? [],
    choices: () => page.home.told?.choices ?? { levels: [], clocks: [{ value: "" }] },
    kinds: () => (page.home.told?.chat ? ["computer", "invitation"] : ["computer"]),
    language: () => language,
    called: (name) => name,
    home: () => session.look(`/api/home`),
    async look(code, turn) {
      const query = new URLSearchParams({ game: code, theme: screenTheme() });
      if (turn !== null && turn !== undefined) query.set("turn", String(turn));
      const first = page.first;
      page.first = null;
      const isFirst = first?.table.code === code && !query.has("turn");
      const view = isFirst ? first : await session.look(`/api/board?${query}`);
      if (view.turn === null) {
        // A newer one has the table look again.
        context.note({ ...view.table, revision: Math.max(view.table.revision, heard.get(code) ?? 0) });
        heard.delete(code);
        roll(code, view);
      }
      return view;
    },
    /** A game that nobody has looked at yet has come to a revision, or to one that is not known. */
    hear(code, revision = Infinity) {
      heard.set(code, Math.max(revision, heard.get(code) ?? 0));
    },
    note(table) {
      tables.set(table.code, { ...table, message: table.code });
    },
    turns: (code) => session.look(`/api/turns?${new URLSearchParams({ game: code })}`),
    /** The numbers of the turns since the reader's last one, with that one first; none where there is nothing to play back. */
    async missed(code) {
      if (!tables.get(code)?.turn || document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches) return [];
      const found = await context.turns(code).catch(() => null);
      if (!found || found.seat === null) return [];
      const last = found.turns.findLastIndex(({ seat }) => seat === found.seat) + 1;
      const all = Array.from({ length: found.turns.length - last }, (_, at) => last + at);
      return last > 0 ? all.slice(-MISSED) : [];
    },
    explain: (cell, at, open) => session.ask("/api/cell", { cell, at, open: context.opened(open) }).then(({ why }) => why, () => ""),
    /** What the server is told of the open board: a private one by what can be pressed on it. */
    opened(open = page.stage.board) {
      const message = messages.get(open?.message);
      if (!message) return open?.game ? { game: open.game } : null;
      return { game: open.game, presses: context.carried(message.card) };
    },
    carried(card) {
      const rows = card.rows.flatMap((row) => (Array.isArray(row) ? row : row.options)).map(({ press }) => [`press:${press}`, press]);
      return { ...card.presses, ...Object.fromEntries(rows) };
    },
    openBoard: () => page.stage.board,
    table: (code) => tables.get(code),
    tables: () => [...tables.values()],
    message: (id) => messages.get(id),
    messages: () => [...messages.values()],
    search: (message) => page.searches.element(message),
    successor: () => null,
    hung,
    openGame: (game, enters) => page.openGame(game, enters),
    openMessage: (id) => page.openMessage(id),
    isOnTable: (id) => page.stage.message === id,
    remember() {},
    onStage: (open) => page.onStage(open),
    expects() {},
    awaits() {},
    async pressed(_, press) {
      const wanted = /^(?:choose|new=([a-z0-9-]+))$/.exec(press);
      if (wanted) return context.newGame(wanted[1]);
      const done = await act("/api/press", { press });
      const shown = take(done);
      // What asks on, or only says why not, leaves the board's choice as it is.
      return shown?.card && !shown.update ? { ...shown, open: page.stage.game } : shown;
    },
    async press(message, press) {
      const above = message.id === page.noted;
      if (above) page.closeNote();
      const wanted = /^(?:choose|new=([a-z0-9-]+))$/.exec(press);
      if (wanted) return context.newGame(wanted[1]);
      const done = take(await act("/api/press", { press, open: context.opened({ game: page.stage.game, message: message.id }) }), messages.get(message.id) ?? message, above);
      if (done?.board) page.openGame(done.board.table);
      return done;
    },
    dismiss(message) {
      messages.delete(message.id);
      if (message.id === page.noted) page.closeNote();
      page.stage.changed();
      if (!page.stage.open) page.showHome();
    },
    async say(text, where = "alone") {
      const source = messages.get(page.stage.board?.message);
      return take(await act("/api/say", { text, where, open: context.opened() }), source ?? null);
    },
    play: (line) => context.say(line, / computer:/.test(line) ? "alone" : "chat"),
    send: (text) => context.say(text),
    async newGame(key = null) {
      if (!page.home.told) await page.home.refresh();
      (await page.newGamePanel()).open(key);
    },
    compose: (text) => page.type(text),
    answerTable: () => page.type(""),
    answerTry: () => page.type(""),
    enlarge(picture) {
      const close = tool("close", say("names.close"), () => $("large").close(), { class: "close" });
      $("large").replaceChildren(close, image(picture));
      $("large").setAttribute("aria-label", say("board.enlarged"));
      $("large").showModal();
    },
    hasTapped: () => page.tapped,
    tapped() {
      page.tapped = true;
      host.haptic("tap");
      for (const hint of document.querySelectorAll(".tap")) hint.remove();
    },
  };
  return context;
}

/** Make the form in which a move, or a line, is typed. */
export function typing(value, onSend, onClose) {
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
