// Background searches: their progress, and their results, which are shown without another press.

import { el } from "./view.js";
import { say } from "./words.js";

export class Searches {
  #context;
  #running = {};
  #seen = new Set();
  #requested = new Set();
  #awaited = new Set();

  constructor(context) {
    this.#context = context;
  }

  /** Take the progress of all running searches; a missing one has ended. */
  update(running) {
    const changed = Object.keys({ ...this.#running, ...running }).filter((name) => name in this.#running !== name in running);
    this.#running = running;
    for (const name of Object.keys(running)) this.#seen.add(name);
    if (changed.length) this.#context.redraw((message) => changed.includes(message.card?.search));
    for (const element of document.querySelectorAll(".search")) {
      if (element.dataset.search in running) element.replaceChildren(...this.#parts(element.dataset.search));
    }
    this.showResults();
  }

  /** Replace messages that wait for an ended search by its result. */
  showResults() {
    for (const message of this.#context.messages()) {
      const name = message.card?.search;
      if (!name || name in this.#running) this.#requested.delete(message.id);
      if (!name || message.retired) continue;
      this.#awaited.add(message.id);
      const press = message.card.rows.flat()[0]?.press;
      if (!press || name in this.#running || !this.#seen.has(name) || this.#requested.has(message.id)) continue;
      this.#requested.add(message.id);
      // A suggestion for an earlier position is of no use.
      const [, code, revision] = press.split(":");
      const table = this.#context.table(code);
      if (Number(revision) && table && table.revision !== Number(revision)) continue;
      this.#context.press(message, press);
    }
  }

  /** Whether a message has just become the result that it waited for. */
  wasAwaited(message) {
    return Boolean(message.card?.picture) && this.#awaited.delete(message.id);
  }

  /** Make the progress bar of the search that a message waits for; null if none is running. */
  element(message) {
    const name = message.card?.search;
    if (!name || !(name in this.#running)) return null;
    return el("div", { class: "search", data: { search: name } }, this.#parts(name));
  }

  #parts(name) {
    const [done, total] = this.#running[name];
    const label = total > 0 ? say("search.progress", { done, total }) : say("search.thinking");
    const bar = el("progress", { "aria-label": label, ...(total > 0 ? { max: String(total), value: String(done) } : {}) });
    return [el("p", { class: "words" }, label), bar];
  }
}
