// The start page: the reader's games, those that wait first, and buttons for new ones.

import { el } from "./view.js";
import { say } from "./words.js";

const $ = (id) => document.getElementById(id);

export class Home {
  #context;
  #requests = 0;
  data = null;

  constructor(context) {
    this.#context = context;
  }

  get isOpen() {
    return !$("home").hidden;
  }

  async show() {
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

  draw() {
    const { games, here, why } = this.data;
    $("home-none").textContent = say("app.none");
    $("home-none").hidden = games.length > 0;
    $("home-games").replaceChildren(
      ...games.map(({ code, label, status, waits }) =>
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
    $("home-here").replaceChildren(
      ...here.map(({ code, label, status }) =>
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
    const key = (name, words, onClick, style = "") =>
      el("button", { type: "button", class: `key${style}`, data: { key: name }, on: { click: onClick } }, words);
    $("home-rows").replaceChildren(
      key("new", say("newgame.title"), () => this.#context.newGame(), " primary"),
      key("puzzle", say("app.puzzle"), () => this.#context.say("/puzzle which:today")),
      key("learn", say("newgame.learn"), () => this.#context.say("/learn")),
    );
  }
}
