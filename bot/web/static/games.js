// The games that wait for the reader: in a bar, in the window's title, in its icon and aloud; and the other ones.

import { el } from "./view.js";
import { say } from "./words.js";

const section = document.getElementById("waiting");
const list = document.getElementById("waiting-list");
const going = document.getElementById("going");
const goingList = document.getElementById("going-list");
const others = document.getElementById("others");
const othersList = document.getElementById("others-list");
const sign = document.getElementById("icon");

// Why a game waits: how the bar says it, and how it is said aloud.
const WHY = {
  turn: [null, "called.turn"],
  offer: ["waiting.offer", "called.offer"],
  challenge: ["waiting.challenge", "called.challenge"],
  over: ["waiting.over", "called.over"],
};
const MOST_SEEN = 100;

/** Return why a game waits, as a key of the words; null if it does not. */
function reason(game) {
  if (game.status === "over") return "over";
  if (!game.waits) return null;
  if (game.offer) return "offer";
  return game.status === "lobby" ? "challenge" : "turn";
}

export class Games {
  #context;
  #games = [];
  #over = new Set();
  #known = false;
  #fresh = true;

  constructor(context, onChange) {
    this.#context = context;
    this.onChange = onChange;
    this.draw();
  }

  /** Begin for a name: which finished games it has looked at already. */
  begin(kept) {
    this.#games = [];
    this.#known = kept !== null;
    this.#fresh = true;
    this.#over = new Set(kept ?? []);
    this.draw();
  }

  get any() {
    return this.#waiting().length > 0;
  }

  has(id) {
    return this.#waiting().some((game) => game.message === id);
  }

  find(code) {
    return this.#games.find((game) => game.code === code);
  }

  byMessage(id) {
    return this.#games.find((game) => game.message === id);
  }

  get all() {
    return this.#games;
  }

  /** The game that waits longest for the reader's turn, undefined if none does. */
  get first() {
    return this.#games.find((game) => game.code && game.turn);
  }

  /** A game that is over has been looked at. */
  looked(code) {
    const game = this.find(code);
    if (!game || game.status !== "over" || this.#over.has(code)) return;
    this.#over.add(code);
    this.#context.keepOver([...this.#over].slice(-MOST_SEEN));
    this.draw();
  }

  /** Take the new list; tell which messages begin or cease to wait, and which games begin to. */
  take(games) {
    const before = new Map(this.#waiting().map((game) => [game.message, `${reason(game)} ${game.position}`]));
    const past = this.#games;
    if (!this.#known) for (const game of games) if (game.status === "over") this.#over.add(game.code);
    const first = this.#fresh;
    this.#fresh = false;
    this.#known = true;
    this.#context.keepOver([...this.#over].slice(-MOST_SEEN));
    this.#games = games;
    const now = this.#waiting();
    const changed = [...new Set([...before.keys(), ...now.map((game) => game.message)])].filter(
      (id) => before.has(id) !== now.some((game) => game.message === id),
    );
    const fresh = now.filter((game) => before.get(game.message) !== `${reason(game)} ${game.position}`);
    const begun = games.filter((game) => {
      const old = past.find((other) => other.code === game.code);
      return game.mine && game.status === "playing" && old?.status !== "playing";
    });
    this.draw();
    this.onChange({ changed, fresh, begun, first });
  }

  #waiting() {
    return this.#games.filter((game) => reason(game) && !(game.status === "over" && (!game.mine || this.#over.has(game.code))));
  }

  #button(game, kind, text) {
    const open = () => this.#context.openGame(game);
    const names = game.mine === false ? game.names : game.others;
    return el(
      "li",
      {},
      el(
        "button",
        {
          type: "button",
          class: kind,
          "aria-current": game.code && game.code === this.#context.openCode() ? "true" : null,
          data: { code: game.code ?? "" },
          on: { click: open },
        },
        el("span", { class: "dot", "aria-hidden": "true" }),
        el(
          "span",
          { class: "label" },
          el("strong", {}, game.title),
          names?.length ? ` ${say(game.mine === false ? "table.of" : "waiting.with", { names: names.join(", ") })}` : null,
          text ? el("span", { class: "why" }, text) : null,
        ),
      ),
    );
  }

  draw() {
    const waiting = this.#waiting();
    const count = waiting.length;
    document.title = count ? `(${count}) ${say("waiting.tab", { n: count })} · Tavoliere` : "Tavoliere";
    const wanted = count ? "/static/icon-waiting.svg" : "/static/icon.svg";
    if (sign.getAttribute("href") !== wanted) sign.setAttribute("href", wanted);
    section.hidden = count === 0;
    list.replaceChildren(
      ...waiting.map((game) => {
        const [why] = game.code ? WHY[reason(game)] : [null];
        return this.#button(game, "waiting", why ? say(why) : null);
      }),
    );
    const mine = this.#games.filter((game) => game.mine && game.status !== "over" && !waiting.includes(game));
    going.hidden = mine.length === 0;
    goingList.replaceChildren(...mine.map((game) => this.#button(game, "going", null)));
    const theirs = this.#games.filter((game) => game.mine === false && game.status !== "over" && !waiting.includes(game));
    others.hidden = theirs.length === 0;
    document.getElementById("others-title").textContent = say("table.others", { n: theirs.length });
    othersList.replaceChildren(...theirs.map((game) => this.#button(game, "going", null)));
  }

  /** What a game that begins to wait is told by, aloud and in a notification. */
  words(game) {
    const names = game.others?.join(", ") ?? "";
    return say(WHY[reason(game) ?? "turn"][1], { game: game.title, names });
  }
}
