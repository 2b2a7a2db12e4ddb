// The games that wait for the reader: in a strip, in the window's title and in its icon.

import { el } from "./view.js";
import { say } from "./words.js";

const section = document.getElementById("waiting");
const list = document.getElementById("waiting-list");
const sign = document.getElementById("icon");

export class Waiting {
  #context;
  #games = [];

  constructor(context, onChange) {
    this.#context = context;
    this.onChange = onChange;
    this.draw();
  }

  get any() {
    return this.#games.length > 0;
  }

  has(id) {
    return this.#games.some((game) => game.message === id);
  }

  /** Take the new list and tell which messages begin or cease to wait. */
  take(games) {
    const before = new Set(this.#games.map((game) => game.message));
    const now = new Set(games.map((game) => game.message));
    this.#games = games;
    this.draw();
    this.onChange([...new Set([...before, ...now])].filter((id) => before.has(id) !== now.has(id)));
  }

  draw() {
    const count = this.#games.length;
    document.title = count ? `(${count}) ${say("waiting.tab", { n: count })} · Tavoliere` : "Tavoliere";
    const wanted = count ? "/static/icon-waiting.svg" : "/static/icon.svg";
    if (sign.getAttribute("href") !== wanted) sign.setAttribute("href", wanted);
    section.hidden = count === 0;
    list.replaceChildren(
      ...this.#games.map((game) =>
        el(
          "li",
          {},
          el(
            "button",
            { type: "button", class: "waiting", on: { click: () => this.#context.showMessage(game.message) } },
            el("span", { class: "dot", "aria-hidden": "true" }),
            el(
              "span",
              { class: "label" },
              el("strong", {}, game.title),
              game.people.length ? ` ${say("waiting.with", { names: game.people.join(", ") })}` : null,
            ),
          ),
        ),
      ),
    );
  }
}
