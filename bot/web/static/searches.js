// Searches in the background: how far those are that the reader waits for, and what they have found comes by itself.

import { el } from "./view.js";
import { say } from "./words.js";

export class Searches {
  #context;
  #running = {};
  #known = new Set();
  #asked = new Set();
  #awaited = new Set();

  constructor(context) {
    this.#context = context;
  }

  /** Take how far each search is; what is not there any more has ended. */
  take(running) {
    const changed = Object.keys({ ...this.#running, ...running }).filter((name) => name in this.#running !== name in running);
    this.#running = running;
    for (const name of Object.keys(running)) this.#known.add(name);
    if (changed.length) this.#context.redraw((message) => changed.includes(message.card?.search));
    for (const element of document.querySelectorAll(".search")) {
      if (element.dataset.search in running) element.replaceChildren(...this.#parts(element.dataset.search));
    }
    this.look();
  }

  /** Have what was found take the place of the words that waited for it: those who wait press nothing. */
  look() {
    for (const message of this.#context.messages()) {
      const name = message.card?.search;
      if (!name || name in this.#running) this.#asked.delete(message.id);
      if (!name || message.retired) continue;
      this.#awaited.add(message.id);
      const press = message.card.rows.flat()[0]?.press;
      if (!press || name in this.#running || !this.#known.has(name) || this.#asked.has(message.id)) continue;
      this.#asked.add(message.id);
      // To a game that has moved on meanwhile there is nothing to suggest.
      const [, code, revision] = press.split(":");
      const table = this.#context.table(code);
      if (Number(revision) && table && table.revision !== Number(revision)) continue;
      this.#context.press(message, press);
    }
  }

  /** Whether a message has just become the picture of what it waited for. */
  found(message) {
    return Boolean(message.card?.picture) && this.#awaited.delete(message.id);
  }

  /** Make what shows how far the search is that a message waits for; null where none runs. */
  element(message) {
    const name = message.card?.search;
    if (!name || !(name in this.#running)) return null;
    return el("div", { class: "search", data: { search: name } }, this.#parts(name));
  }

  #parts(name) {
    const [done, total] = this.#running[name];
    const told = total > 0 ? say("search.progress", { done, total }) : say("search.thinking");
    const bar = el("progress", { "aria-label": told, ...(total > 0 ? { max: String(total), value: String(done) } : {}) });
    return [el("p", { class: "words" }, told), bar];
  }
}
