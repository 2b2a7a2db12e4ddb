// What is always at hand at a board: taking back, a hint, the other side, the turns, and a menu for the rest.

import { placeList } from "./menu.js";
import { el, iconButton, replaceIfChanged } from "./view.js";
import { say } from "./words.js";

const $ = (id) => document.getElementById(id);
const STEPS = ["first", "prev", "next", "last"];
const STEP_KEYS = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" };
// The tools that the server offers by a press, by its first word; all others are in the menu.
const OWN_PRESSES = ["undo", "hint"];

const deedOf = ({ press }) => /^[a-z]+!?/.exec(press)[0];

const labelOf = (name) => say(name === "turn" ? "board.turn" : `tool.${name}`);

export class Tools {
  #buttons = {};
  #offered = [];
  #items = el("div", { class: "items" });
  #menu = el("div", { id: "stage-more", class: "listbox", popover: "auto" }, this.#items);
  #press;
  #type;
  #canType = false;
  #controls;
  #borrowed = [];

  /** Make the tools: `press` sends what one carries, `turn` turns the board, `step` goes through the turns, `type` asks
   * for a move to be typed.
   *
   * `controls` returns elements of the page that a phone shows in the menu while a table is open.
   */
  constructor({ press, turn, step, type, controls }) {
    this.#press = press;
    this.#type = type;
    this.#controls = controls;
    const acts = { turn, ...Object.fromEntries(STEPS.map((name) => [name, () => step(name)])) };
    for (const name of [...OWN_PRESSES, "turn", ...STEPS, "more"]) {
      const act = acts[name] ?? (() => this.#press(this.#offered.find((each) => deedOf(each) === name).press));
      const take = (event) => (event.currentTarget.getAttribute("aria-disabled") === "true" ? undefined : act());
      const opens = name === "more" ? { popovertarget: "stage-more" } : null;
      this.#buttons[name] = iconButton(name, "", opens ? () => {} : take, { id: `tool-${name}`, data: { key: `tool:${name}` }, ...opens });
    }
    $("stage-tools").append(...Object.values(this.#buttons), this.#menu);
    this.#menu.addEventListener("beforetoggle", ({ newState }) => (newState === "open" ? this.#open() : this.#giveBack()));
    $("stage").addEventListener("keydown", (event) => {
      const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
      if (!(event.key in STEP_KEYS) || !isPlain || !event.target.closest("#stage-tools, #stage-turns, #stage-head")) return;
      if (event.target.closest(".listbox")) return;
      event.preventDefault();
      this.#buttons[STEP_KEYS[event.key]].click();
    });
  }

  /** Show the tools of a game: what is `offered` now, and whether its reader plays, and which of its turns is shown. */
  draw({ offered, plays, isOver, canTurn, canType, at, last }) {
    const isPast = at < last;
    this.#offered = offered;
    this.#canType = canType && !isPast;
    const can = { turn: canTurn, first: at > 0, prev: at > 0, next: isPast, last: isPast, more: true };
    for (const name of OWN_PRESSES) can[name] = !isPast && offered.some((each) => deedOf(each) === name);
    for (const [name, button] of Object.entries(this.#buttons)) button.setAttribute("aria-disabled", String(!can[name]));
    for (const name of OWN_PRESSES) this.#buttons[name].hidden = !plays || isOver;
    if (this.#menu.matches(":popover-open")) this.#fill();
  }

  #open() {
    this.#fill();
    if (matchMedia("(max-width: 820px)").matches) this.#borrow();
    placeList(this.#menu, this.#buttons.more);
  }

  /** Fill the menu with what is offered beside the tools. */
  #fill() {
    const item = (label, act, properties) => {
      const choose = () => (this.#menu.hidePopover(), act());
      return el("button", { type: "button", ...properties, on: { click: choose } }, label);
    };
    const rest = this.#offered.filter((each) => !OWN_PRESSES.includes(deedOf(each)));
    replaceIfChanged(this.#items, [
      ...(this.#canType ? [item(say("board.type-move"), this.#type, { data: { key: "type" } })] : []),
      ...rest.map(({ label, press, style }) => item(label, () => this.#press(press), { class: style, data: { key: `press:${press}` } })),
    ]);
  }

  /** On a phone: show what the page has beside the table. */
  #borrow() {
    for (const element of this.#controls()) {
      const place = document.createComment("");
      element.replaceWith(place);
      this.#menu.append(element);
      this.#borrowed.push([element, place]);
    }
  }

  #giveBack() {
    for (const [element, place] of this.#borrowed.splice(0)) place.replaceWith(element);
  }

  /** Update all texts after a change of language. */
  translate() {
    if (this.#menu.matches(":popover-open")) this.#menu.hidePopover();
    this.#menu.setAttribute("aria-label", say("tool.more"));
    $("stage-tools").setAttribute("aria-label", say("tool.title"));
    for (const [name, button] of Object.entries(this.#buttons)) {
      button.title = labelOf(name);
      button.setAttribute("aria-label", button.title);
    }
  }
}
