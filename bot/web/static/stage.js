// The table: one game, or one private board, in one place. Choosing happens on its picture; nothing else moves it.

import { announceTable } from "./announce.js";
import { board } from "./board.js";
import { seatHere } from "./hotseat.js";
import { cardRows, lobbyLink, plainText, richText, secret } from "./message.js";
import { ask, server } from "./net.js";
import { placeNotes } from "./notes.js";
import { apart, coveredBy, lastCell, offersLesson, parted, plainly, readOut } from "./parts.js";
import { slide } from "./slide.js";
import { screenTheme } from "./theme.js";
import { el, quiet, tool } from "./view.js";
import { say } from "./words.js";

const $ = (id) => document.getElementById(id);
const stage = $("stage");

// A text longer than this takes the place of the board until it is put away.
const LONG = 200;
// A question longer than this says itself how it is answered.
const SHORT = 60;
// Words that have stood for so long go when the game moves on: what came of a press may arrive before its news. In milliseconds.
const LASTING = 4000;
// How long each turn stands that is played back, in milliseconds.
const STEP = 500;
// How often a game is looked at that no message here stands for, in milliseconds: nobody tells when it moves on.
const WATCHING = 5000;

export class Stage {
  #context;
  #code = null;
  #message = null;
  #behind = null;
  #view = null;
  #choice = null;
  #turn = null;
  #turns = [];
  #listed = "";
  #asked = 0;
  #drawing = 0;
  #busy = false;
  #drawn = null;
  #live = null;
  #watching = 0;
  #noted = null;
  #since = new Map();
  #again = "";
  #enters = null;
  #awaitsView = false;
  #landed = null;
  #typed = null;
  #told = { rest: "", pinned: "" };
  #replays = 0;

  constructor(context) {
    this.#context = context;
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.refresh());
    // Words that do not fit are read on by keys, too.
    const words = $("stage-words");
    const look = () => {
      const scrolls = words.scrollHeight > words.clientHeight + 1 || words.scrollWidth > words.clientWidth + 1;
      if (scrolls) words.tabIndex = 0;
      else words.removeAttribute("tabindex");
    };
    // What stands in it can grow, too, while its own size stays.
    const sizes = new ResizeObserver(look);
    const observe = () => {
      sizes.disconnect();
      for (const each of [words, ...words.children]) sizes.observe(each);
      look();
    };
    new MutationObserver(observe).observe(words, { childList: true, characterData: true, subtree: true });
    observe();
    placeNotes();
  }

  /** The code of the game that is open, null if none is. */
  get game() {
    return this.#code;
  }

  /** The private message that is open, null if none is. */
  get message() {
    return this.#message;
  }

  /** What the server is told of the board that is open: what is typed means that one. Null where none is. */
  get board() {
    if (!this.open) return null;
    return { game: this.#code, message: this.#shown()?.over?.id ?? this.#message };
  }

  get open() {
    return this.#code !== null || this.#message !== null;
  }

  /** The code of the game of which every news is told here, null if there is none. */
  get told() {
    return this.#turn === null ? this.#code : null;
  }

  /** Whether the reader is in the middle of a choice, or looks at an earlier turn: nobody is to take that away. */
  get occupied() {
    return this.#choice !== null || this.#turn !== null || this.#message !== null;
  }

  /** Open a game. */
  async show(code) {
    if (this.#code !== code) this.#reset();
    this.#code = code;
    this.#message = this.#behind = null;
    this.#appear();
    await this.refresh();
  }

  /** Open a private message with a picture: a lesson, an analysis, a whole game. The game before it comes back after it. */
  showMessage(id, enters = false) {
    if (this.#message !== id) this.#reset();
    this.#behind = this.#code ?? this.#behind;
    if (enters) this.#enters = id;
    this.#awaitsView = false;
    this.#message = id;
    this.#code = null;
    this.#appear();
    this.#draw();
  }

  close() {
    this.#reset();
    this.#code = this.#message = this.#behind = null;
    stage.hidden = true;
    this.#context.remember(null);
    this.#context.onStage(false);
  }

  #reset() {
    clearTimeout(this.#watching);
    this.#asked += 1;
    this.#drawing += 1;
    Object.assign(stage.dataset, { game: "", turn: "", at: "" });
    this.#view = this.#choice = this.#turn = this.#drawn = this.#landed = this.#typed = null;
    this.#told = { rest: "", pinned: "" };
    this.#turns = [];
    this.#listed = "";
    for (const id of ["stage-title", "stage-with", "stage-board", "stage-words", "stage-ask", "stage-rows", "stage-notes", "turns"]) {
      $(id).replaceChildren();
    }
  }

  #appear() {
    stage.hidden = false;
    this.#context.remember(this.#code ?? this.#message);
    this.#context.onStage(true);
  }

  /** Look at the open game again. */
  async refresh() {
    if (this.#code === null) return this.#message === null ? null : this.#draw();
    this.#asked += 1;
    const mine = this.#asked;
    const found = await this.#context.look(this.#code, this.#turn).catch((error) => error);
    if (mine !== this.#asked) return;
    if (found instanceof Error) {
      if (this.#view === null) this.close();
      else this.#watch();
      return;
    }
    const held = this.#choice?.table;
    if (held && (held.position !== found.table.position || !found.table.turn)) this.#choice = null;
    if (this.#view && found.table.revision > this.#view.table.revision) this.#clearNotes();
    this.#view = found;
    this.#awaitsView = false;
    this.#watch();
    await this.#draw();
    this.#list();
    // It may have moved on while it was looked at.
    const now = this.#context.table(this.#code);
    if (now && this.#asked === mine && this.#turn === null && now.revision > found.table.revision) await this.refresh();
  }

  /** Look again in a while at an open game that is shown in no message here, such as one of friends elsewhere. */
  #watch() {
    clearTimeout(this.#watching);
    if (this.#view.table.status === "over" || this.#context.table(this.#code)) return;
    const look = () => (document.hidden || this.occupied ? this.#watch() : this.refresh());
    this.#watching = setTimeout(look, WATCHING);
  }

  /** Take what has changed of the games: the open one is looked at again where it has moved on. */
  take(tables) {
    const now = tables.find((table) => table.code === this.#code);
    if (!now || !this.#view || this.#turn !== null) return;
    // Below a game that is over stands what becomes of playing it again.
    const again = now.again ? stamp(tables.find((table) => table.code === now.again)) : "";
    if (stamp(now) !== stamp(this.#view.table) || again !== this.#again) this.refresh();
    this.#again = again;
  }

  /** A picture has come that was asked for, such as a suggestion: it takes the place of a half-made choice. */
  leaveChoice() {
    this.#choice = null;
  }

  /** Draw what hangs under the open game, or the open message, anew. */
  changed() {
    const message = this.#message === null ? null : this.#context.message(this.#message);
    // Words alone stand in the conversation, but for those with a way back to the board.
    if (message && !message.card.picture && !message.card.rows.length) return this.close();
    if (this.#message !== null && !message) {
      const behind = this.#context.table(this.#behind);
      return behind ? this.show(behind.code) : this.close();
    }
    if (this.open) this.#draw();
  }

  /** Press something on the open game's card. */
  async press(press) {
    if (this.#busy) return;
    this.#busy = true;
    this.#landed = lastCell(press) ?? this.#landed;
    stage.setAttribute("aria-busy", "true");
    const table = this.#context.table(this.#code);
    // A board of elsewhere is no message here, so that nothing can hang under it.
    if (!table) this.#context.awaits();
    const done = await this.#context.pressed(table?.message ?? null, press);
    this.#busy = false;
    stage.removeAttribute("aria-busy");
    if (!done) return;
    if (done.board) {
      this.#choice = done.board.path ? done.board : null;
      if (!done.board.path) this.#view = done.board;
      await this.#draw();
    } else if (/^[cp]:/.test(press)) {
      this.#choice = null;
      await this.refresh();
    } else if (!done.open) this.#context.expects();
  }

  /** Go back to an earlier turn, or to the newest. */
  async lookBack(turn) {
    this.#turn = turn;
    this.#choice = null;
    await this.refresh();
  }

  /** Show earlier turns one after the other, each as it was made, and then the board as it is; a touch ends that. */
  async playBack(turns) {
    const code = this.#code;
    const now = this.#view;
    const mine = (this.#replays += 1);
    const found = await Promise.all(turns.map((turn) => this.#context.look(code, turn))).catch(() => []);
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
      await new Promise((resolve) => setTimeout(resolve, STEP));
    }
    stage.removeEventListener("pointerdown", stop, { capture: true });
    delete stage.dataset.replays;
    if (this.#code !== code) return;
    this.#turn = null;
    await this.refresh();
  }

  async #list() {
    // Another game may have been opened, whose view has not come yet.
    if (!this.#view) return;
    const { table, turns } = this.#view;
    const wanted = `${table.code} ${turns} ${table.position} ${document.documentElement.lang}`;
    if (this.#turn !== null || table.status === "lobby" || this.#listed === wanted) return this.#drawTurns();
    this.#listed = wanted;
    const found = await this.#context.turns(table.code).catch(() => null);
    if (found && this.#code === table.code) this.#turns = found.turns;
    this.#drawTurns();
  }

  #drawTurns() {
    const names = this.#view?.table.names ?? [];
    const shown = this.#turn ?? this.#turns.length;
    $("turns").replaceChildren(
      ...this.#turns.map(({ seat, text }, index) =>
        el(
          "li",
          {},
          el(
            "button",
            {
              type: "button",
              class: `turn-of seat${seat ?? "x"}`,
              title: names[seat] ?? "",
              "aria-current": index + 1 === shown ? "true" : null,
              on: { click: () => this.lookBack(index + 1 === this.#turns.length ? null : index + 1) },
            },
            el("span", { class: "number" }, String(index + 1)),
            el("span", {}, text),
          ),
        ),
      ),
    );
    $("turns").querySelector("[aria-current]")?.parentElement.scrollIntoView({ block: "nearest" });
    $("stage-turns").hidden = this.#turns.length === 0;
  }

  /** Show the lines that were tried beside a private board; a game has its list of moves there. */
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

  /** What is shown: the private picture over the game, the choice, or the game itself. */
  #shown() {
    if (this.#message !== null) {
      const message = this.#context.message(this.#message);
      return { card: message.card, over: message, notes: [] };
    }
    if (!this.#view) return null;
    const table = this.#context.table(this.#code);
    const hung = table ? this.#context.hung(table.message) : [];
    const fills = (child) => child.card.picture || plainText(child).length > LONG;
    const over = this.#choice ? null : hung.findLast(fills);
    // The newest is read first.
    const begun = this.#view.table.status !== "lobby";
    const notes = hung.filter((child) => child !== over && !(begun && offersLesson(child.card))).reverse();
    return { card: (over ?? this.#choice ?? this.#view).card, over: over ?? null, notes };
  }

  async #draw() {
    const shown = this.#shown();
    if (!shown) return;
    this.#drawing += 1;
    const mine = this.#drawing;
    const { card, over, notes } = shown;
    const view = over ? null : (this.#choice ?? this.#view);
    const before = this.#drawn;
    const picture = card.picture ?? null;
    const ready = picture && before?.picture && before.url !== picture.url ? await loaded(picture.still?.url ?? picture.url) : null;
    if (mine !== this.#drawing) return;
    const focus = stage.contains(document.activeElement) ? (document.activeElement.dataset.key ?? "") : null;
    const replays = stage.dataset.replays !== undefined && before !== null;
    const moved = view && !view.path && before?.position !== undefined && view.table.position > before.position;
    if (ready && (replays || (moved && view.turn === null))) {
      await slide($("stage-board"), before, { picture, image: ready }, view.steps);
      if (mine !== this.#drawing) return;
    }
    const presses = over || this.#turn === null ? card.presses : {};
    const asks = Object.keys(presses).length > 0;
    const press = (wanted) => {
      this.#context.tapped();
      if (!over) return this.press(wanted);
      this.#landed = lastCell(wanted) ?? this.#landed;
      return this.#context.press(over, wanted);
    };
    const refuse = async (cell, some) => {
      if (some) return (await this.#context.explain(cell, view?.at ?? "", this.board)) || say("board.not-this", { cell });
      return view?.table.status === "playing" && !view.table.turn ? say("board.not-you") : null;
    };
    this.#live = { press, refuse };
    const pressed = (wanted) => this.#live.press(wanted);
    const refused = (cell, some) => this.#live.refuse(cell, some);
    const figure = picture ? board(picture, presses, pressed, refused, { explored: true, at: this.#landed }) : null;
    $("stage-board").hidden = !picture;
    if (picture) $("stage-main").style.setProperty("--ratio", (picture.width / picture.height).toFixed(4));
    stage.classList.toggle("boardless", !picture);
    const seat = view && this.#turn === null ? seatHere(view.table, this.#context) : null;
    if (seat) figure?.append(seat);
    replaceChanged($("stage-board"), figure ? [figure] : [], `${over?.id ?? this.#code} ${JSON.stringify(presses)}`);
    stage.classList.toggle("choosing", Boolean(this.#choice));
    this.#drawn = { url: picture?.url, picture, position: view ? view.table.position : before?.position };
    this.#drawHead(view, over, card);
    this.#drawTree(over?.card.tree ? over : null);
    this.#drawWords(card, over, view, asks);
    this.#drawNotes(notes);
    stage.dataset.game = this.#code ?? "";
    stage.dataset.revision = view ? `${view.table.revision}${view.path ? "+" : ""}` : "";
    stage.dataset.turn = this.#turn ?? "";
    stage.dataset.at = view?.at ?? "";
    this.#announce(card, over, view);
    if (view && this.#typed && view.table.position > this.#typed.position) this.enterAt(this.#typed.text);
    const enters = this.#enters !== null && !this.#awaitsView && this.#enters === (this.#code ?? this.#message);
    if (enters && $("stage-board").querySelector(".cells")) {
      this.#enters = null;
      if (!isWriting()) this.#focusAgain(this.#landed ? `cell:${this.#landed}` : "");
    }
    // Only where what had it is gone: while pieces slid, somebody may have begun to type elsewhere.
    if (focus !== null && document.activeElement === document.body) this.#focusAgain(focus);
  }

  #drawHead(view, over, card) {
    const table = this.#view?.table;
    $("stage-title").textContent = table ? table.title : parted(card.text).title || say("stage.private");
    const others = table ? table.others.join(", ") : "";
    $("stage-with").textContent = !table ? "" : table.mine ? (others ? say("waiting.with", { names: others }) : "") : table.names.join(" – ");
    stage.classList.toggle("over", Boolean(over && table));
    stage.classList.toggle("alone", !table);
  }

  #drawWords(card, over, view, asks) {
    const back = this.#turn === null ? null : quiet(say("stage.now"), () => this.lookBack(null), { data: { key: "now" } }, "back");
    const { pinned, rest } = apart(view || this.#code ? card.text : parted(card.text).rest);
    const said = (spans) => (spans.length ? el("div", { class: "words" }, richText(spans, card.calls, this.#context)) : null);
    // Where the question itself says how it is answered, that is not said twice.
    const tap = asks && !this.#context.hasTapped() && plainly(pinned).length < SHORT ? el("p", { class: "tap" }, say("board.tap")) : null;
    const message = over ?? { id: null, card };
    const rows = cardRows(message, this.#context, over ? null : (press) => this.press(press));
    const covered = coveredBy(card);
    for (const key of rows.flatMap((row) => [...row.querySelectorAll("[data-key^='press:']")])) {
      // Whoever is asked whether they mean it must see the answer, although a second touch of the cell gives it too.
      key.classList.toggle("covered", !key.classList.contains("primary") && covered(key.dataset.key.slice("press:".length)));
    }
    if (over) {
      const dismiss = () => this.#context.dismiss(over);
      const label = this.#code ? say("stage.back") : say("private.dismiss");
      const away = quiet(label, dismiss, { data: { key: "dismiss" } }, this.#code ? "back" : null);
      if (rows.at(-1)?.querySelector(".menu") === null) rows.at(-1).append(away);
      else rows.push(el("div", { class: "row" }, away));
      if (card.tree) rows.at(-1).append(quiet(say("board.type-line"), () => this.#context.answerTry(over), { data: { key: "type" } }, "answer"));
    } else if (view?.table.turn && this.#turn === null) {
      const type = quiet(say("board.type-move"), () => this.#context.answerTable(this.#code), { data: { key: "type" } }, "answer");
      rows.at(-1)?.append(type);
    }
    const lobby = view?.table.status === "lobby" ? view.table : null;
    if (lobby?.mine && this.#context.copyLink) {
      const link = lobbyLink(lobby, this.#context);
      if (link.querySelector(".primary")) rows.unshift(link);
      else rows.push(link);
    }
    const look = lobby ? { class: "glimpse", src: server.address(`/glimpses/${lobby.game}-${screenTheme()}.png`), alt: "", width: 120, height: 120 } : null;
    $("stage-words").replaceChildren(...[back, look && el("img", look), said(rest)].filter(Boolean));
    $("stage-ask").replaceChildren(...[said(pinned), tap].filter(Boolean));
    $("stage-ask").hidden = $("stage-ask").childElementCount === 0;
    replaceChanged($("stage-rows"), rows, over?.id ?? this.#code);
    $("stage-rows").hidden = rows.length === 0;
  }

  /** Put away words about how the game stood before, such as that a draw was offered; what asks something stays. */
  #clearNotes() {
    const table = this.#context.table(this.#code);
    for (const note of table ? this.#context.hung(table.message) : []) {
      const stood = Date.now() - (this.#since.get(note.id) ?? Infinity);
      if (!note.card.picture && !note.card.rows.length && stood > LASTING) this.#context.dismiss(note);
    }
  }

  #drawNotes(notes) {
    for (const note of notes) if (!this.#since.has(note.id)) this.#since.set(note.id, Date.now());
    $("stage-notes").replaceChildren(...notes.map((note) => secret(note, this.#context)));
    $("stage-notes").hidden = notes.length === 0;
    const newest = notes[0]?.id ?? null;
    if (newest !== this.#noted) $("stage-notes").scrollTop = 0;
    this.#noted = newest;
  }

  /** Say what has changed of what is told and asked; a long text in the conversation's place is said there. */
  #announce(card, over, view) {
    if (stage.dataset.replays !== undefined) return;
    if (over && !card.picture) return;
    const { pinned, rest } = apart(view || this.#code ? card.text : parted(card.text).rest);
    const now = { rest: readOut(rest), pinned: readOut(pinned) };
    const news = [now.rest !== this.#told.rest && now.rest, now.pinned !== this.#told.pinned && now.pinned].filter(Boolean);
    this.#told = now;
    if (news.length) announceTable(...news);
  }

  /** Have the keys go on at the board. */
  focus() {
    this.#focusAgain(this.#landed ? `cell:${this.#landed}` : "");
  }

  #focusAgain(key) {
    const same = key && stage.querySelector(`[data-key="${CSS.escape(key)}"]:not([disabled])`);
    const next = same || stage.querySelector(".cells [tabindex='0']") || stage.querySelector("#stage-rows [data-key]:not([disabled])");
    (next || $("stage-title")).focus({ preventScroll: true });
  }

  /** Open a game that begins, or that somebody takes over: as soon as its board is there, keys go on at it. */
  enter(code) {
    this.#enters = code;
    // What is drawn until then may be what another name of this browser saw.
    this.#awaitsView = true;
    this.#landed = null;
    return this.show(code);
  }

  /** Have keys go on at the board of the open game when it is drawn next. */
  entersNext() {
    this.#enters = this.#code;
  }

  /** A move is typed on the board: as soon as it is played, keys go on there. */
  expectMove(text) {
    this.#typed = { text, position: this.#view?.table.position ?? Infinity };
  }

  /** Have keys go on at the piece that was moved by typing. */
  enterAt(text) {
    this.#landed = lastCell(text) ?? this.#landed;
    this.#typed = null;
    this.#enters = this.#code;
  }

  /** Say everything again in the reader's language. */
  translate() {
    stage.setAttribute("aria-label", say("stage.title"));
    $("stage-turns-title").textContent = say("stage.turns");
    const close = $("stage-close");
    close.title = say("stage.close");
    close.setAttribute("aria-label", close.title);
    this.#listed = "";
    this.refresh();
  }
}

/** Whether the reader is in the middle of writing, or of a dialog: the focus stays there. */
function isWriting() {
  return Boolean(document.activeElement?.value) || document.querySelector("dialog[open]") !== null;
}

const shownOf = new Map();

/** Put elements in place of others that look otherwise or are of something else: a press that has begun on what stays the same is not lost. */
function replaceChanged(root, elements, of) {
  const looks = el("div", {}, elements.map((each) => each.cloneNode(true))).innerHTML;
  if (shownOf.get(root) === String(of) && root.innerHTML === looks) return;
  shownOf.set(root, String(of));
  root.replaceChildren(...elements);
}

/** How a game stands, and the votes of a team on its turn, to tell whether it has moved on. */
function stamp(table) {
  return table ? `${table.code} ${table.revision} ${table.status} ${table.votes ?? ""}` : "";
}

async function loaded(url) {
  const image = new Image();
  image.src = url;
  await image.decode().catch(() => null);
  return image;
}

/** Make the button that closes the table. */
export function closer(onClose) {
  const button = tool("close", "", onClose, { id: "stage-close" });
  $("stage-head").append(button);
}

/** Ask for a game as its reader sees it. */
export function lookAt(speaker, code, turn) {
  const query = new URLSearchParams({ ...speaker, game: code, theme: screenTheme() });
  if (turn !== null && turn !== undefined) query.set("turn", String(turn));
  return ask(`/api/board?${query}`);
}
