// The lists of games; those that wait for the reader also show in the window's title and icon.

import { el } from "./view.js";
import { say } from "./words.js";

const section = document.getElementById("waiting");
const list = document.getElementById("waiting-list");
const ongoing = document.getElementById("going");
const ongoingList = document.getElementById("going-list");
const others = document.getElementById("others");
const othersList = document.getElementById("others-list");
const favicon = document.getElementById("icon");

// Why a game waits: the text in the list, and the announced one.
const REASON_TEXTS = {
  turn: [null, "called.turn"],
  offer: ["waiting.offer", "called.offer"],
  challenge: ["waiting.challenge", "called.challenge"],
  over: ["waiting.over", "called.over"],
};
const MAX_SEEN_GAMES = 100;

/** Return why a game waits, null if it does not. */
function waitingReason(game) {
  if (game.status === "over") return "over";
  if (!game.waits) return null;
  if (game.offer) return "offer";
  return game.status === "lobby" ? "challenge" : "turn";
}

export class Games {
  #context;
  #games = [];
  #seen = new Set();
  #isSeenKnown = false;
  #isFirstUpdate = true;

  constructor(context, onChange) {
    this.#context = context;
    this.onChange = onChange;
    this.draw();
  }

  /** Start for a person; `seenCodes` are the codes of finished games that they have seen, null if unknown. */
  startFor(seenCodes) {
    this.#games = [];
    this.#isSeenKnown = seenCodes !== null;
    this.#isFirstUpdate = true;
    this.#seen = new Set(seenCodes ?? []);
    this.draw();
  }

  get waitingCount() {
    return this.#waiting().length;
  }

  /** Return the reader's games: those that wait, each with the reason, and the others that go on. */
  get mine() {
    const waiting = this.#waiting();
    const why = (game) => (game.code ? say(REASON_TEXTS[waitingReason(game)][0] ?? "table.yours") : "");
    return { waiting: waiting.map((game) => [game, why(game)]), going: this.#going(waiting) };
  }

  #going(waiting) {
    return this.#games.filter((game) => game.mine && game.status !== "over" && !waiting.includes(game));
  }

  isWaiting(id) {
    return this.#waiting().some((game) => game.message === id);
  }

  find(code) {
    return this.#games.find((game) => game.code === code);
  }

  findByMessage(id) {
    return this.#games.find((game) => game.message === id);
  }

  get all() {
    return this.#games;
  }

  /** Return the game that has waited longest for the reader's turn, undefined for none. */
  get firstWaiting() {
    return this.#games.find((game) => game.code && game.turn);
  }

  /** Record that the reader has seen a finished game. */
  markSeen(code) {
    const game = this.find(code);
    if (!game || game.status !== "over" || this.#seen.has(code)) return;
    this.#seen.add(code);
    this.#context.saveSeenGames([...this.#seen].slice(-MAX_SEEN_GAMES));
    this.draw();
  }

  /** Take the new list and report the messages that begin or stop waiting, and the games that wait anew. */
  update(games) {
    const before = new Map(this.#waiting().map((game) => [game.message, `${waitingReason(game)} ${game.position}`]));
    const past = this.#games;
    if (!this.#isSeenKnown) for (const game of games) if (game.status === "over") this.#seen.add(game.code);
    const first = this.#isFirstUpdate;
    this.#isFirstUpdate = false;
    this.#isSeenKnown = true;
    this.#context.saveSeenGames([...this.#seen].slice(-MAX_SEEN_GAMES));
    this.#games = games;
    const now = this.#waiting();
    const changed = [...new Set([...before.keys(), ...now.map((game) => game.message)])].filter(
      (id) => before.has(id) !== now.some((game) => game.message === id),
    );
    const fresh = now.filter((game) => before.get(game.message) !== `${waitingReason(game)} ${game.position}`);
    const begun = games.filter((game) => {
      const old = past.find((other) => other.code === game.code);
      return game.mine && game.status === "playing" && old?.status !== "playing";
    });
    this.draw();
    this.onChange({ changed, fresh, begun, first });
  }

  #waiting() {
    return this.#games.filter((game) => waitingReason(game) && !(game.status === "over" && (!game.mine || this.#seen.has(game.code))));
  }

  #button(game, kind, text, count = "") {
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
          data: { code: game.code ?? "", count },
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
    if (favicon.getAttribute("href") !== wanted) favicon.setAttribute("href", wanted);
    section.hidden = count === 0;
    // A phone has room for how many they are besides the one at the table.
    const elsewhere = waiting.filter((game) => !game.code || game.code !== this.#context.openCode()).length;
    list.replaceChildren(
      ...waiting.map((game) => {
        const [why] = game.code ? REASON_TEXTS[waitingReason(game)] : [null];
        return this.#button(game, "waiting", why ? say(why) : null, elsewhere);
      }),
    );
    const mine = this.#going(waiting);
    ongoing.hidden = mine.length === 0;
    ongoingList.replaceChildren(...mine.map((game) => this.#button(game, "going", null)));
    const theirs = this.#games.filter((game) => game.mine === false && game.status !== "over" && !waiting.includes(game));
    others.hidden = theirs.length === 0;
    document.getElementById("others-title").textContent = say("table.others", { n: theirs.length });
    othersList.replaceChildren(...theirs.map((game) => this.#button(game, "going", null)));
    this.#context.drawLobby();
  }

  /** Return the text that announces a waiting game. */
  announcement(game) {
    const names = game.others?.join(", ") ?? "";
    return say(REASON_TEXTS[waitingReason(game) ?? "turn"][1], { game: game.title, names });
  }
}
