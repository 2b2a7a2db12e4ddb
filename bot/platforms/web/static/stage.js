// The table: one game or one private board. Moves are chosen on its picture.

import { announceTable } from "./announce.js";
import { makeBoard } from "./board.js";
import { Clocks } from "./clocks.js";
import { cardRows, lobbyLink, plainText, renderPrivate, richText } from "./message.js";
import { ask, server } from "./net.js";
import { watchPlacement } from "./notes.js";
import { sayNotSentIfLong } from "./overlays.js";
import { lastCell, makeCoverCheck, onlyOffersLesson, splitFirstLine, splitPinned, splitTitle, toPlainText, toSpokenText } from "./parts.js";
import { isShared, shareScreen, sideOf, turnBoard } from "./sides.js";
import { slide } from "./slide.js";
import { Tools } from "./tools.js";
import { onHostThemeChanged, screenTheme } from "./theme.js";
import { el, iconButton, replaceIfChanged, textButton } from "./view.js";
import { say } from "./words.js";

const $ = (id) => document.getElementById(id);
const stage = $("stage");

// A longer turn has a line of its own among the turns of two players.
const MAX_SHORT_TURN_LENGTH = 12;
// A longer private answer replaces the board until it is dismissed.
const MAX_NOTE_LENGTH = 200;
// A longer question explains itself how it is answered.
const MAX_SHORT_QUESTION_LENGTH = 60;
// Notes shown for longer than this go when the game moves on; the answer to a press may arrive before the change itself.
const MIN_NOTE_MS = 4000;
const REPLAY_STEP_MS = 500;
// Interval for reloading a game that has no message here, since its changes are not announced.
const POLL_INTERVAL_MS = 5000;

export class Stage {
  #context;
  #code = null;
  #message = null;
  #gameBehind = null;
  #view = null;
  #choice = null;
  #turn = null;
  #turns = [];
  #listed = "";
  #requests = 0;
  #drawings = 0;
  #pendingPress = null;
  #pressedAt = 0;
  #drawn = null;
  #handlers = null;
  #pollTimer = 0;
  #newestNote = null;
  #noteTimes = new Map();
  #rematchStamp = "";
  #focusTarget = null;
  #awaitsView = false;
  #lastCell = null;
  #typedMove = null;
  #announced = { rest: "", pinned: "" };
  #replays = 0;
  #clocks;
  #tools;
  #offered = [];

  constructor(context) {
    this.#context = context;
    this.#clocks = new Clocks({ press: (press) => this.press(press), askVerdict: () => this.refresh(), warn: () => context.warnOfTime() });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.refresh());
    onHostThemeChanged(() => this.refresh());
    // A text that does not fit can be scrolled by keys.
    const words = $("stage-words");
    const look = () => {
      const scrolls = words.scrollHeight > words.clientHeight + 1 || words.scrollWidth > words.clientWidth + 1;
      if (scrolls) words.tabIndex = 0;
      else words.removeAttribute("tabindex");
    };
    // Its content can grow while its own size stays.
    const sizes = new ResizeObserver(look);
    const observe = () => {
      sizes.disconnect();
      for (const each of [words, ...words.children]) sizes.observe(each);
      look();
    };
    new MutationObserver(observe).observe(words, { childList: true, characterData: true, subtree: true });
    observe();
    watchPlacement();
    this.#tools = new Tools({
      press: (press) => this.press(press),
      turn: () => (turnBoard(this.#view.table), this.refresh()),
      step: (name) => this.#step(name),
      type: () => this.#context.answerTable(this.#code),
      controls: () => context.pageControls?.() ?? [],
    });
    // A newcomer is offered the lesson where the board opens.
    const learn = () => this.press(this.#offered.find(({ press }) => press.startsWith("learn:")).press);
    $("stage-head").append(textButton(el("span"), learn, { id: "stage-learn", hidden: true, data: { key: "learn" } }, "learn"));
  }

  /** Return the code of the open game, null for none. */
  get game() {
    return this.#code;
  }

  /** Return the newest revision of the open game that was loaded, null for none. */
  get revision() {
    return this.#view?.table.revision ?? null;
  }

  /** Return the id of the open private message, null for none. */
  get message() {
    return this.#message;
  }

  /** Describe the open board to the server, which applies typed text to it; null for none. */
  get board() {
    if (!this.isOpen) return null;
    return { game: this.#code, message: this.#shown()?.over?.id ?? this.#message };
  }

  get isOpen() {
    return this.#code !== null || this.#message !== null;
  }

  /** Return the code of the game whose changes are announced here, null for none. */
  get announcedGame() {
    return this.#turn === null ? this.#code : null;
  }

  /** Whether the reader is choosing, or looking at an earlier turn or a private board, which must stay. */
  get isOccupied() {
    return this.#choice !== null || this.#turn !== null || this.#message !== null;
  }

  /** Open a game. */
  async show(code) {
    if (this.#code !== code) this.#reset();
    this.#code = code;
    this.#message = this.#gameBehind = null;
    this.#appear();
    await this.refresh();
  }

  /** Open a private message with a picture, such as a lesson; the game that was open comes back after it. */
  showMessage(id, enters = false) {
    if (this.#message !== id) this.#reset();
    this.#gameBehind = this.#code ?? this.#gameBehind;
    if (enters) this.#focusTarget = id;
    this.#awaitsView = false;
    this.#message = id;
    this.#code = null;
    this.#appear();
    this.#draw();
  }

  close() {
    this.#reset();
    this.#code = this.#message = this.#gameBehind = null;
    stage.hidden = true;
    this.#hideOpenLobby();
    this.#context.rememberTable(null);
    this.#context.onTableShown(false);
  }

  #reset() {
    clearTimeout(this.#pollTimer);
    this.#requests += 1;
    this.#drawings += 1;
    this.#endPress();
    Object.assign(stage.dataset, { game: "", revision: "", turn: "", at: "" });
    this.#view = this.#choice = this.#turn = this.#drawn = this.#lastCell = this.#typedMove = null;
    this.#announced = { rest: "", pinned: "" };
    this.#turns = [];
    this.#listed = "";
    this.#clocks.hide();
    for (const id of ["stage-title", "stage-with", "stage-board", "stage-words", "stage-ask", "stage-rows", "stage-notes", "turns"]) {
      $(id).replaceChildren();
    }
  }

  /** Hide the challenge in the conversation while it is open at the table: all of it is here. */
  #hideOpenLobby() {
    for (const lobby of document.querySelectorAll("#log .lobby")) lobby.hidden = lobby.dataset.code === this.#code;
  }

  #appear() {
    stage.hidden = false;
    this.#hideOpenLobby();
    this.#context.rememberTable(this.#code ?? this.#message);
    this.#context.onTableShown(true);
  }

  /** Load the open game again. */
  async refresh() {
    if (this.#code === null) return this.#message === null ? null : this.#draw();
    this.#requests += 1;
    const request = this.#requests;
    const found = await this.#context.fetchBoard(this.#code, this.#turn).catch((error) => error);
    if (request !== this.#requests) return;
    found.arrived ??= performance.now();
    if (found instanceof Error) {
      if (this.#view === null) this.close();
      else this.#refreshLater();
      return;
    }
    const held = this.#choice?.table;
    if (held && (held.position !== found.table.position || !found.table.turn)) this.#choice = null;
    if (this.#view && found.table.revision > this.#view.table.revision) this.#clearNotes();
    this.#view = found;
    this.#awaitsView = false;
    this.#schedulePoll();
    await this.#draw();
    this.#loadTurns();
    // It may have changed while it was loading.
    const now = this.#context.table(this.#code);
    if (now && this.#requests === request && this.#turn === null && now.revision > found.table.revision) await this.refresh();
  }

  /** Load the open game again later if it has no message here, such as a game of friends elsewhere. */
  #schedulePoll() {
    clearTimeout(this.#pollTimer);
    if (this.#view.table.status !== "over" && !this.#context.table(this.#code)) this.#refreshLater();
  }

  /** Load the open game again in a while: it has no message here, or it could not be loaded. */
  #refreshLater() {
    clearTimeout(this.#pollTimer);
    const look = () => (document.hidden || this.isOccupied ? this.#refreshLater() : this.refresh());
    this.#pollTimer = setTimeout(look, POLL_INTERVAL_MS);
  }

  /** Load the open game again if it has changed. */
  update(tables) {
    const now = tables.find((table) => table.code === this.#code);
    if (!this.#view || this.#turn !== null) return;
    // A game of others is listed no more once it is over.
    if (!now && this.#view.table.status === "playing") this.refresh();
    if (!now) return;
    // A finished game shows the state of its rematch.
    const again = now.again ? gameStamp(tables.find((table) => table.code === now.again)) : "";
    if (gameStamp(now) !== gameStamp(this.#view.table) || again !== this.#rematchStamp) this.refresh();
    this.#rematchStamp = again;
  }

  /** Drop a half-made choice in favour of a new picture, such as a hint. */
  dropChoice() {
    this.#choice = null;
  }

  /** Draw the open game with its answers, or the open message, again. */
  redraw() {
    const message = this.#message === null ? null : this.#context.message(this.#message);
    // A text without buttons belongs in the conversation.
    if (message && !message.card.picture && !message.card.rows.length) return this.close();
    if (this.#message !== null && !message) {
      const behind = this.#context.table(this.#gameBehind);
      return behind ? this.show(behind.code) : this.close();
    }
    if (this.isOpen) this.#draw();
  }

  /** Send a press on the open game's card; its answer changes nothing here if something else was opened meanwhile. */
  async press(press) {
    if (this.#pendingPress !== null) return sayNotSentIfLong(this.#pressedAt);
    const pending = Symbol(press);
    this.#pendingPress = pending;
    this.#pressedAt = performance.now();
    this.#lastCell = lastCell(press) ?? this.#lastCell;
    stage.setAttribute("aria-busy", "true");
    const table = this.#context.table(this.#code);
    // A game without a message here has nothing to attach an answer to.
    if (!table) this.#context.expectPrivateAnswer();
    const done = await this.#context.sendPress(table?.message ?? null, press);
    const isCurrent = this.#pendingPress === pending;
    if (isCurrent) this.#endPress();
    const isChoice = /^[cp]:/.test(press);
    if (done && !done.board && !isChoice && !done.open) this.#context.expectPublicAnswer();
    if (!done || !isCurrent) return;
    if (done.board) {
      done.board.arrived = performance.now();
      this.#choice = done.board.path ? done.board : null;
      if (!done.board.path) this.#view = done.board;
      await this.#draw();
    } else if (isChoice) {
      this.#choice = null;
      await this.refresh();
    }
  }

  /** Send a press on a private answer over the board. */
  async #pressOver(over, press) {
    stage.setAttribute("aria-busy", "true");
    try {
      return await this.#context.press(over, press);
    } finally {
      if (this.#pendingPress === null) stage.removeAttribute("aria-busy");
    }
  }

  #endPress() {
    this.#pendingPress = null;
    stage.removeAttribute("aria-busy");
  }

  /** Show an earlier turn, or the newest for null. */
  async showTurn(turn) {
    this.#turn = turn;
    this.#choice = null;
    await this.refresh();
  }

  /** Go to the first turn, the one before, the next or the last one. */
  #step(name) {
    const at = this.#turn ?? this.#lastTurn;
    const wanted = { first: 0, prev: at - 1, next: at + 1, last: this.#lastTurn }[name];
    return this.showTurn(wanted < this.#lastTurn ? wanted : null);
  }

  get #lastTurn() {
    return this.#turns.length || this.#view.turns;
  }

  /** Show earlier turns one after the other, and then the current board; a touch ends it. */
  async replay(turns) {
    const code = this.#code;
    const now = this.#view;
    const mine = (this.#replays += 1);
    const found = await Promise.all(turns.map((turn) => this.#context.fetchBoard(code, turn))).catch(() => []);
    const goesOn = () => mine === this.#replays && this.#code === code && this.#choice === null && this.#view !== null;
    if (!found.length || !goesOn() || this.#view !== now || this.#message !== null) return;
    const stop = () => (this.#replays += 1);
    stage.addEventListener("pointerdown", stop, { once: true, capture: true });
    stage.dataset.replays = "true";
    for (const view of [...found, now]) {
      if (!goesOn()) break;
      this.#turn = view.turn;
      this.#view = view;
      await this.#draw();
      await new Promise((resolve) => setTimeout(resolve, REPLAY_STEP_MS));
    }
    stage.removeEventListener("pointerdown", stop, { capture: true });
    delete stage.dataset.replays;
    if (this.#code !== code) return;
    this.#turn = null;
    await this.refresh();
  }

  async #loadTurns() {
    // The view of another game may still be loading.
    if (!this.#view) return;
    const { table, turns } = this.#view;
    const wanted = `${table.code} ${turns} ${table.position} ${document.documentElement.lang}`;
    if (this.#turn !== null || table.status === "lobby" || this.#listed === wanted) return this.#drawTurns();
    this.#listed = wanted;
    const found = await this.#context.fetchTurns(table.code).catch(() => null);
    if (found && this.#code === table.code) this.#turns = found.turns;
    this.#drawTurns();
  }

  #drawTurns() {
    const names = this.#view?.table.names ?? [];
    const shown = this.#turn ?? this.#turns.length;
    $("turns").classList.toggle("pairs", names.length === 2);
    $("turns").replaceChildren(
      ...this.#turns.map(({ seat, text, words }, index) =>
        el(
          "li",
          { class: `seat${seat ?? "x"}${text.length > MAX_SHORT_TURN_LENGTH ? " long" : ""}` },
          el(
            "button",
            {
              type: "button",
              class: "turn-of",
              title: words || null,
              "aria-current": index + 1 === shown ? "true" : null,
              on: { click: () => this.showTurn(index + 1 === this.#turns.length ? null : index + 1) },
            },
            el("span", { class: "number" }, String(index + 1)),
            el("span", {}, text),
            words && words !== text ? el("span", { class: "unseen" }, `: ${words}`) : null,
          ),
        ),
      ),
    );
    $("turns").querySelector("[aria-current]")?.parentElement.scrollIntoView({ block: "nearest" });
    this.#drawTools();
    // In a running game the column is there before the first turn, so that the board does not move when it comes.
    $("stage-turns").hidden = this.#turns.length === 0 && this.#view?.table.status !== "playing";
  }

  #drawTools() {
    const table = this.#view?.table;
    $("stage-tools").hidden = !table || table.status === "lobby" || this.#message !== null;
    $("stage-learn").hidden = true;
    if (!table) return;
    if (this.#turn === null && this.#view.tools) this.#offered = this.#view.tools;
    const lesson = this.#offered.find(({ press, style }) => press.startsWith("learn:") && style === "primary");
    $("stage-learn").hidden = !lesson || this.#choice !== null;
    $("stage-learn").lastChild.textContent = say("tool.learn");
    $("stage-learn").title = lesson?.label ?? "";
    const last = this.#lastTurn;
    const shown = { plays: table.mine, isOver: table.status === "over", canTurn: Boolean(this.#view.card.picture), canType: table.turn };
    this.#tools.draw({ offered: this.#offered, ...shown, at: this.#turn ?? last, last });
  }

  /** Show the tree of tried lines beside a private board; a game shows its moves there. */
  #drawTree(over) {
    stage.classList.toggle("treed", Boolean(over));
    $("stage-turns-title").textContent = say(over ? "stage.tree" : "stage.turns");
    if (!over) return this.#code === null ? $("turns").replaceChildren() : this.#drawTurns();
    $("turns").replaceChildren(
      ...over.card.tree.map(({ label, press, depth, here, note, plan }) => {
        const planned = plan ? el("span", { class: "note" }, say("stage.planned")) : null;
        const words = el("span", {}, label, note ? el("span", { class: "note" }, note) : null, planned);
        const button = el(
          "button",
          {
            type: "button",
            class: `turn-of twig${plan ? " plan" : ""}`,
            "aria-current": here ? "true" : null,
            data: { key: `twig:${press}` },
            on: { click: () => this.#context.press(over, press) },
          },
          words,
        );
        button.style.setProperty("--depth", String(Math.min(depth, 6)));
        return el("li", {}, button);
      }),
    );
    $("turns").querySelector("[aria-current]")?.parentElement.scrollIntoView({ block: "nearest" });
    $("stage-turns").hidden = false;
  }

  /** Return what to show: a private answer over the game, the half-made choice, or the game. */
  #shown() {
    if (this.#message !== null) {
      const message = this.#context.message(this.#message);
      return { card: message.card, over: message, notes: [] };
    }
    if (!this.#view) return null;
    const table = this.#context.table(this.#code);
    const hung = table ? this.#context.attachedTo(table.message) : [];
    const fills = (child) => child.card.picture || plainText(child, this.#context).length > MAX_NOTE_LENGTH;
    const over = this.#choice ? null : hung.findLast(fills);
    const begun = this.#view.table.status !== "lobby";
    const notes = hung.filter((child) => child !== over && !(begun && onlyOffersLesson(child.card))).reverse();
    return { card: (over ?? this.#choice ?? this.#view).card, over: over ?? null, notes };
  }

  async #draw() {
    const shown = this.#shown();
    if (!shown) return;
    this.#drawings += 1;
    const drawing = this.#drawings;
    const { card, over, notes } = shown;
    const view = over ? null : (this.#choice ?? this.#view);
    const before = this.#drawn;
    const picture = card.picture ?? null;
    const ready = picture && before?.picture && before.url !== picture.url ? await loadImage(picture.still?.url ?? picture.url) : null;
    if (drawing !== this.#drawings) return;
    const focus = stage.contains(document.activeElement) ? (document.activeElement.dataset.key ?? "") : null;
    const replays = stage.dataset.replays !== undefined && before !== null;
    const moved = view && !view.path && before?.position !== undefined && view.table.position > before.position;
    if (ready && (replays || (moved && view.turn === null))) {
      await slide($("stage-board"), before, { picture, image: ready }, view.steps);
      if (drawing !== this.#drawings) return;
    }
    const presses = over || this.#turn === null ? card.presses : {};
    const asks = Object.keys(presses).length > 0;
    const press = (wanted) => {
      this.#context.noteTapped();
      if (!over) return this.press(wanted);
      this.#lastCell = lastCell(wanted) ?? this.#lastCell;
      return this.#pressOver(over, wanted);
    };
    const refuse = async (cell, some) => {
      if (some) return (await this.#context.fetchReason(cell, view?.at ?? "", this.board)) || say("board.not-this", { cell });
      return view?.table.status === "playing" && !view.table.turn ? say("board.not-you") : null;
    };
    this.#handlers = { press, refuse };
    const pressed = (wanted) => this.#handlers.press(wanted);
    const refused = (cell, some) => this.#handlers.refuse(cell, some);
    const figure = picture ? makeBoard(picture, presses, pressed, refused, { explored: true, at: this.#lastCell }) : null;
    $("stage-board").hidden = !picture;
    if (picture) $("stage-main").style.setProperty("--ratio", (picture.width / picture.height).toFixed(4));
    stage.classList.toggle("boardless", !picture);
    replaceIfChanged($("stage-board"), figure ? [figure] : [], `${over?.id ?? this.#code} ${JSON.stringify(presses)}`);
    stage.classList.toggle("choosing", Boolean(this.#choice));
    this.#drawn = { url: picture?.url, picture, position: view ? view.table.position : before?.position };
    this.#drawHead(over, card);
    const measured = this.#choice?.arrived > this.#view?.arrived ? this.#choice : this.#view;
    if (view && measured.turn === null) this.#clocks.show(measured.table, measured.clocks, measured.arrived);
    this.#drawTree(over?.card.tree ? over : null);
    this.#drawTools();
    this.#drawWords(card, over, view, asks);
    this.#drawNotes(notes);
    stage.dataset.game = this.#code ?? "";
    stage.dataset.revision = view ? `${view.table.revision}${view.path ? "+" : ""}` : "";
    stage.dataset.turn = this.#turn ?? "";
    stage.dataset.at = view?.at ?? "";
    this.#announce(card, over, view);
    if (view && this.#typedMove && view.table.position > this.#typedMove.position) this.focusMoved(this.#typedMove.text);
    const enters = this.#focusTarget !== null && !this.#awaitsView && this.#focusTarget === (this.#code ?? this.#message);
    if (enters && $("stage-board").querySelector(".cells")) {
      this.#focusTarget = null;
      if (!isWriting()) this.#restoreFocus(this.#lastCell ? `cell:${this.#lastCell}` : "");
    }
    // Only if nothing has the focus: the reader may have begun to type elsewhere.
    if (focus !== null && document.activeElement === document.body) this.#restoreFocus(focus);
    // Where several people share a screen, the one who is to move moves.
    const seated = this.#turn === null && view && !view.path && isShared(this.#code) ? this.#nameToMove(view) : null;
    if (seated) this.#context.switchTo(seated, this.#code);
  }

  #drawHead(over, card) {
    const table = this.#view?.table;
    $("stage-title").textContent = table ? table.title : splitTitle(card.text).title || say("stage.private");
    const others = table ? table.others.join(", ") : "";
    $("stage-with").textContent = !table ? "" : table.mine ? (others ? say("waiting.with", { names: others }) : "") : table.names.join(" – ");
    stage.classList.toggle("over", Boolean(over && table));
    stage.classList.toggle("alone", !table);
  }

  #drawWords(card, over, view, asks) {
    const back = this.#turn === null ? null : textButton(say("stage.now"), () => this.showTurn(null), { data: { key: "now" } }, "back");
    const { pinned, rest } = splitPinned(view || this.#code ? card.text : splitTitle(card.text).rest);
    const paragraph = (spans) => (spans.length ? el("div", { class: "words" }, richText(spans, card.calls, this.#context)) : null);
    // A long question already says how it is answered.
    const tap = asks && !this.#context.hasTapped() && toPlainText(pinned).length < MAX_SHORT_QUESTION_LENGTH ? el("p", { class: "tap" }, say("board.tap")) : null;
    const message = over ?? { id: null, card };
    const covered = makeCoverCheck(card);
    const rows = cardRows(message, this.#context, (press) => (over ? this.#pressOver(over, press) : this.press(press)), covered);
    for (const key of rows.flatMap((row) => [...row.querySelectorAll("[data-key^='press:']")])) {
      // The button that confirms a move must be visible, although pressing the cell again confirms it too.
      key.classList.toggle("covered", !key.classList.contains("primary") && covered(key.dataset.key.slice("press:".length)));
    }
    if (over) {
      const dismiss = () => this.#context.dismiss(over);
      const label = this.#code ? say("stage.back") : say("private.dismiss");
      const dismissButton = textButton(label, dismiss, { data: { key: "dismiss" } }, this.#code ? "back" : null);
      if (rows.at(-1)?.querySelector(".menu") === null) rows.at(-1).append(dismissButton);
      else rows.push(el("div", { class: "row" }, dismissButton));
      if (card.tree) rows.at(-1).append(textButton(say("board.type-line"), () => this.#context.answerTry(over), { class: "quiet types", data: { key: "type" } }, "type"));
    }
    const seated = this.#turn === null && !this.#choice ? this.#nameToMove(view) : null;
    if (seated && !isShared(this.#code)) {
      const sit = () => (shareScreen(this.#code), this.#context.switchTo(seated, this.#code));
      rows.unshift(el("div", { class: "row" }, el("button", { type: "button", class: "key primary", data: { key: "sit" }, on: { click: sit } }, say("board.sit", { name: seated.name }))));
    }
    const lobby = view?.table.status === "lobby" ? view.table : null;
    if (lobby?.mine && this.#context.copyLink) {
      const link = lobbyLink(lobby, this.#context);
      if (link.querySelector(".primary")) rows.unshift(link);
      else rows.push(link);
    }
    const look = lobby && !lobby.unusual ? { class: "glimpse", src: server.address(`/glimpses/${lobby.game}-${screenTheme()}.webp`), alt: "", width: 120, height: 120 } : null;
    $("stage-words").replaceChildren(...[back, look && el("img", look), paragraph(rest)].filter(Boolean));
    const isEnd = view?.table.status === "over" && this.#turn === null;
    stage.classList.toggle("ended", isEnd);
    // The result stands above what else the end has brought.
    const asked = isEnd ? splitFirstLine(pinned).map(paragraph) : [paragraph(pinned), tap];
    $("stage-ask").replaceChildren(...asked.filter(Boolean));
    // What is named there can be pressed there.
    for (const word of $("stage-ask").querySelectorAll("strong")) {
      const named = view && this.#offered.find(({ label }) => label === word.textContent);
      if (named) word.replaceWith(textButton(named.label, () => this.press(named.press), { class: "named", data: { key: `named:${named.press}` } }));
    }
    $("stage-ask").hidden = $("stage-ask").childElementCount === 0;
    replaceIfChanged($("stage-rows"), rows, over?.id ?? this.#code);
    $("stage-rows").hidden = rows.length === 0;
  }

  /** Return the other name of this browser that is to move, null for none. */
  #nameToMove(view) {
    if (view?.table.status !== "playing" || view.table.seated === null || view.table.turn) return null;
    return this.#context.names().find((name) => name.person === view.table.seated) ?? null;
  }

  /** Dismiss notes about the earlier position; notes with buttons or pictures stay. */
  #clearNotes() {
    const table = this.#context.table(this.#code);
    for (const note of table ? this.#context.attachedTo(table.message) : []) {
      const stood = Date.now() - (this.#noteTimes.get(note.id) ?? Infinity);
      if (!note.card.picture && !note.card.rows.length && stood > MIN_NOTE_MS) this.#context.dismiss(note);
    }
  }

  #drawNotes(notes) {
    for (const note of notes) if (!this.#noteTimes.has(note.id)) this.#noteTimes.set(note.id, Date.now());
    $("stage-notes").replaceChildren(...notes.map((note) => renderPrivate(note, this.#context)));
    $("stage-notes").hidden = notes.length === 0;
    const newest = notes[0]?.id ?? null;
    if (newest !== this.#newestNote) $("stage-notes").scrollTop = 0;
    this.#newestNote = newest;
  }

  /** Announce changed texts to screen readers. */
  #announce(card, over, view) {
    if (stage.dataset.replays !== undefined) return;
    if (over && !card.picture) return;
    const { pinned, rest } = splitPinned(view || this.#code ? card.text : splitTitle(card.text).rest);
    const now = { rest: toSpokenText(rest), pinned: toSpokenText(pinned) };
    const news = [now.rest !== this.#announced.rest && now.rest, now.pinned !== this.#announced.pinned && now.pinned].filter(Boolean);
    this.#announced = now;
    if (news.length) announceTable(...news);
  }

  /** Focus the board. */
  focus() {
    this.#restoreFocus(this.#lastCell ? `cell:${this.#lastCell}` : "");
  }

  #restoreFocus(key) {
    const same = key && stage.querySelector(`[data-key="${CSS.escape(key)}"]:not([disabled])`);
    const next = same || stage.querySelector(".cells [tabindex='0']") || stage.querySelector("#stage-rows [data-key]:not([disabled])");
    (next || $("stage-title")).focus({ preventScroll: true });
  }

  /** Open a game and focus its board once it is drawn. */
  showAndFocus(code) {
    this.#focusTarget = code;
    // The board drawn until then may be that of another name of this browser.
    this.#awaitsView = true;
    this.#lastCell = null;
    return this.show(code);
  }

  /** Focus the board of the open game when it is drawn next. */
  focusWhenDrawn() {
    this.#focusTarget = this.#code;
  }

  /** Focus the board as soon as a typed move is played. */
  expectMove(text) {
    this.#typedMove = { text, position: this.#view?.table.position ?? Infinity };
  }

  /** Focus the piece that was moved by typing. */
  focusMoved(text) {
    this.#lastCell = lastCell(text) ?? this.#lastCell;
    this.#typedMove = null;
    this.#focusTarget = this.#code;
  }

  /** Update all texts after a change of language. */
  translate() {
    stage.setAttribute("aria-label", say("stage.title"));
    $("stage-turns-title").textContent = say("stage.turns");
    $("stage-close").title = say("stage.close");
    $("stage-close").setAttribute("aria-label", say("stage.close"));
    this.#tools.translate();
    this.#listed = "";
    this.refresh();
  }
}

/** Whether the reader is writing or in a dialog, which keeps the focus. */
function isWriting() {
  return Boolean(document.activeElement?.value) || document.querySelector("dialog[open]") !== null;
}

/** Return a text that changes whenever the game, a team's votes in it, or who has left the page or their app, change. */
function gameStamp(table) {
  return table ? `${table.code} ${table.revision} ${table.status} ${table.votes ?? ""} ${table.away ?? ""}` : "";
}

async function loadImage(url) {
  const image = new Image();
  image.src = url;
  await image.decode().catch(() => null);
  return image;
}

/** Add the button that closes the table. */
export function addCloseButton(onClose) {
  const button = iconButton("close", "", onClose, { id: "stage-close" });
  $("stage-head").append(button);
}

/** Fetch a game as its reader sees it. */
export function fetchBoard(speaker, code, turn) {
  const query = new URLSearchParams({ ...speaker, game: code, theme: screenTheme() });
  if (sideOf(code) !== null) query.set("side", String(sideOf(code)));
  if (turn !== null && turn !== undefined) query.set("turn", String(turn));
  return ask(`/api/board?${query}`);
}
