// The start page: the reader's games, those that wait first, the menu, and what is played in this chat.

import { el, replaceIfChanged } from "./view.js";
import { say } from "./words.js";

const $ = (id) => document.getElementById(id);

export class Home {
  #context;
  #requests = 0;
  /** The codes of the games in the order in which they are shown, by list. */
  #orders = new Map();
  data = null;

  constructor(context) {
    this.#context = context;
  }

  get isOpen() {
    return !$("home").hidden;
  }

  async show() {
    this.#orders.clear();
    if (this.data) {
      // Until the list is loaded again: what is known of the games that were opened.
      const games = this.data.games.map((game) => ({ ...game, waits: this.#context.table(game.code)?.turn ?? game.waits }));
      games.sort((one, two) => Number(two.waits) - Number(one.waits));
      this.data = { ...this.data, games };
      this.draw();
    }
    $("stage").hidden = true;
    $("home").hidden = false;
    $("home-title").textContent = say("app.games");
    await this.refresh();
    if (this.isOpen && !document.querySelector("dialog[open]")) $("home-title").focus({ preventScroll: true });
  }

  hide() {
    $("home").hidden = true;
  }

  async refresh() {
    this.#requests += 1;
    const mine = this.#requests;
    const data = await this.#context.home().catch(() => null);
    if (!data || mine !== this.#requests) return;
    this.data = data;
    this.draw();
  }

  /** Return games in the order in which they are shown already, new ones last: a list stays as it is under a finger. */
  #inOrder(name, games) {
    const order = this.#orders.get(name) ?? [];
    const place = ({ code }) => (order.includes(code) ? order.indexOf(code) : order.length);
    const sorted = [...games].sort((one, two) => place(one) - place(two));
    this.#orders.set(name, sorted.map(({ code }) => code));
    return sorted;
  }

  draw() {
    const { why } = this.data;
    const games = this.#inOrder("games", this.data.games);
    const here = this.#inOrder("here", this.data.here);
    $("home-none").textContent = say("app.none");
    $("home-none").hidden = games.length > 0;
    replaceIfChanged(
      $("home-games"),
      games.map(({ code, label, status, waits }) =>
        el(
          "li",
          {},
          el(
            "button",
            { type: "button", class: `key${waits ? " waits" : ""}`, data: { code }, on: { click: () => this.#context.openGame({ code }) } },
            el("span", {}, label),
            el("span", { class: "state" }, say(status === "lobby" ? "app.lobby" : waits ? "app.yours" : "app.theirs")),
          ),
        ),
      ),
    );
    $("home-why").textContent = why ? say(`error.${why}`) : "";
    $("home-why").hidden = !why;
    $("home-here-title").textContent = say("app.here");
    $("home-here-title").hidden = here.length === 0;
    replaceIfChanged(
      $("home-here"),
      here.map(({ code, label, status }) =>
        el(
          "li",
          {},
          el(
            "button",
            { type: "button", class: "key", data: { code }, on: { click: () => this.#context.openGame({ code }) } },
            el("span", {}, label),
            el("span", { class: "state" }, say(status === "lobby" ? "app.free" : "app.watch")),
          ),
        ),
      ),
    );
    $("home-menu-title").textContent = say("menu.open");
    replaceIfChanged(
      $("home-rows"),
      this.data.menu.map(([label, press], at) =>
        el(
          "li",
          {},
          el("button", { type: "button", class: `key${at ? "" : " primary"}`, data: { key: press }, on: { click: () => this.#context.sendPress(null, press) } }, label),
        ),
      ),
    );
  }
}
