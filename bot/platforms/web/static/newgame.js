// The panel for a new game. All choices come from the server; nothing here depends on a game.

import { gameCard, glimpse } from "./gamecard.js";
import { ask, Refusal } from "./net.js";
import { readSetting, saveSetting } from "./settings.js";
import { el, iconButton, loadStyles, textButton } from "./view.js";
import { say, sayError } from "./words.js";

await loadStyles("newgame");

const dialog = document.getElementById("newgame");
const DEFAULT_LEVEL = "2";
// The kinds of opponents: label, start button, and the error if nobody is chosen.
const KINDS = {
  computer: { name: "newgame.computer", start: "newgame.start.computer" },
  people: { name: "newgame.people", start: "newgame.start.people", missing: "newgame.people.missing" },
  invitation: { name: "newgame.invitation", start: "newgame.start.invitation" },
  here: { name: "newgame.here", start: "newgame.start.here", missing: "newgame.here.missing" },
};

const NO_CLOCK = "none";
const OWN_CLOCK = "own";

function select(name, label, options, usual) {
  const made = options.map(({ value, label: words }) => el("option", { value, selected: value === usual }, words));
  return el("label", { class: "choice" }, el("span", {}, label), el("select", { name }, made));
}

/** Return the field for a clock: by kind, and another one typed; it begins with the one chosen last. */
function clockField({ clocks, own }) {
  const [{ values: [none] }, ...groups] = clocks;
  const usual = readSetting("clock");
  const option = ({ value, label }) => el("option", { value, selected: value === usual }, label);
  const made = groups.map(({ group, values }) => el("optgroup", { label: group }, values.map(option)));
  const field = el("input", { name: "clock-own", maxlength: "12", autocomplete: "off", spellcheck: "false", placeholder: "10+5" });
  const typed = el("label", { class: "choice", hidden: true }, el("span", {}, say("newgame.clock.own")), field);
  const chosen = el("select", { name: "clock" }, option(none), made, el("option", { value: OWN_CLOCK }, own));
  chosen.addEventListener("change", () => {
    field.required = chosen.value === OWN_CLOCK;
    typed.hidden = !field.required;
  });
  return [el("label", { class: "choice" }, el("span", {}, say("newgame.clock")), chosen), typed];
}

function numberOptions(from, to) {
  return Array.from({ length: to - from + 1 }, (_, at) => ({ value: String(from + at), label: String(from + at) }));
}

/** Quote a name for a command. */
const quoteName = (name) => `@"${name}"`;

export class NewGame {
  #context;
  #game = null;
  #learns = false;
  #busy = false;
  // The game whose choices the server has refused: the panel opens again as it was.
  #refused = null;

  constructor(context) {
    this.#context = context;
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.dataset.ready = "true";
  }

  /** Open the panel, at a game if one is given. */
  open(key = null) {
    this.#busy = false;
    const goesOn = this.#refused !== null && (key ?? this.#refused) === this.#refused;
    this.#refused = null;
    if (!goesOn) {
      this.#learns = false;
      this.#game = this.#context.games().find((game) => game.key === key) ?? null;
      this.#draw();
    }
    if (!dialog.open) dialog.showModal();
    this.#focusTitle();
  }

  close() {
    if (dialog.open) dialog.close();
  }

  /** Update all texts after a change of language. */
  translate() {
    this.#refused = null;
    if (!dialog.open) return;
    this.#game = this.#context.games().find((game) => game.key === this.#game?.key) ?? null;
    this.#draw();
  }

  #focusTitle() {
    dialog.scrollTop = 0;
    dialog.querySelector("h2").focus();
  }

  #goTo({ game = null, learns = false }) {
    this.#game = game;
    this.#learns = learns;
    this.#draw();
    this.#focusTitle();
  }

  #draw() {
    const close = iconButton("close", say("names.close"), () => dialog.close(), { class: "close" });
    const first = this.#game === null && !this.#learns;
    const back = first ? null : textButton(say("newgame.back"), () => this.#goTo({}), { data: { key: "back" } }, "back");
    const title = this.#learns ? say("newgame.learn-which") : (this.#game?.name ?? say("newgame.title"));
    const heading = el("h2", { id: "newgame-title", tabindex: "-1" }, title);
    dialog.setAttribute("aria-labelledby", "newgame-title");
    dialog.replaceChildren(close, ...(back ? [back] : []), heading, ...(this.#game ? this.#drawGame() : this.#drawGames()));
  }

  #drawGames() {
    const games = this.#context.games().filter((game) => !this.#learns || game.lesson);
    const chosen = (game) => (this.#learns ? this.#sendAndClose(`/learn ${game.key}`) : this.#goTo({ game }));
    const cards = el("div", { class: "game-cards" }, games.map((game) => gameCard(game, () => chosen(game))));
    if (this.#learns) return [cards];
    const beside = el(
      "div",
      { class: "row" },
      el("button", { type: "button", class: "key", on: { click: () => this.#goTo({ learns: true }) } }, say("newgame.learn")),
      el("button", { type: "button", class: "key", on: { click: () => this.#sendAndClose("/puzzle") } }, say("newgame.puzzle")),
    );
    return [el("p", { class: "hint" }, say("newgame.which")), cards, beside];
  }

  /** Close the panel and send a command that opens a board of its own. */
  #sendAndClose(line) {
    if (this.#busy) return;
    this.#busy = true;
    dialog.close();
    this.#context.expectPrivateAnswer();
    this.#context.send(line, null);
  }

  #drawGame() {
    const game = this.#game;
    const [least, most] = game.seats;
    const trouble = el("p", { id: "newgame-trouble", role: "alert", class: "trouble" });
    const parts = {
      computer: this.#computer(least, most),
      people: this.#people(most),
      invitation: this.#invitation(least, most),
      here: this.#here(most),
    };
    const offered = this.#context.kinds?.() ?? Object.keys(KINDS);
    const kinds = Object.entries(KINDS).filter(([kind]) => offered.includes(kind)).map(([kind, { name }]) => {
      const radio = el("input", { type: "radio", name: "kind", value: kind, checked: kind === "computer" });
      return el("div", { class: "kind" }, el("label", {}, radio, el("span", {}, say(name))), parts[kind]);
    });
    const start = el("button", { type: "submit", class: "key primary" });
    const form = el(
      "form",
      { class: "new-game-form" },
      el("fieldset", {}, el("legend", {}, say("newgame.against")), kinds),
      this.#terms(),
      this.#options(game),
      trouble,
      el("div", { class: "row start" }, start),
    );
    const show = () => {
      const chosen = form.elements.kind.value;
      for (const kind of Object.keys(KINDS)) parts[kind].hidden = kind !== chosen;
      form.querySelector("[data-for=people]").hidden = chosen === "computer" || chosen === "here";
      start.textContent = say(KINDS[chosen].start);
      trouble.textContent = "";
    };
    form.addEventListener("change", show);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#start(game, form, trouble);
    });
    show();
    const about = el("div", {}, el("p", {}, game.about), el("div", { class: "row" }, this.#beside(game)));
    return [el("div", { class: "new-game-about" }, glimpse(game.key, game.name), about), form];
  }

  /** Make the buttons for the lesson and the rules of a game. */
  #beside(game) {
    const learn = textButton(say("newgame.learn-this"), () => this.#sendAndClose(`/learn ${game.key}`));
    return [...(game.lesson ? [learn] : []), textButton(say("newgame.rules"), () => this.#sendAndClose(`/rules ${game.key}`))];
  }

  #computer(least, most) {
    const level = select("level", say("newgame.level"), this.#context.choices().levels, DEFAULT_LEVEL);
    const many = most > 2 ? select("computers", say("newgame.computers"), numberOptions(Math.max(1, least - 1), most - 1), String(least - 1)) : null;
    return el("div", { class: "part" }, level, many);
  }

  #personChoice(kind, most, person, checked) {
    const box = { type: most > 2 ? "checkbox" : "radio", name: kind, value: person.name, checked };
    const state = person.here === undefined ? null : el("span", { class: "state" }, say(person.here ? "people.here" : "people.away"));
    return el("label", { class: "tick" }, el("input", box), el("span", { class: "name" }, person.name), state);
  }

  #people(most) {
    const mine = new Set(this.#context.names().map((name) => name.person));
    const others = this.#context.people().filter((person) => !mine.has(person.person));
    others.sort((one, two) => two.here - one.here);
    const ticks = others.map((person, at) => this.#personChoice("people", most, person, at === 0 && others.length === 1));
    if (!ticks.length) return el("div", { class: "part" }, el("p", { class: "hint" }, say("newgame.nobody")));
    return el("div", { class: "part" }, ticks);
  }

  #invitation(least, most) {
    const seats = most > least ? select("seats", say("newgame.seats"), numberOptions(least, most), String(least)) : null;
    return el("div", { class: "part" }, el("p", { class: "hint" }, say("newgame.invitation.about")), seats);
  }

  #here(most) {
    const others = this.#context.names().filter((name) => name.user !== this.#context.me()?.user);
    const ticks = others.map(({ name }, at) => this.#personChoice("here", most, { name }, at === 0));
    const label = say(others.length ? "newgame.here.another" : "newgame.here.name");
    const field = el("input", { name: "name", maxlength: "48", autocomplete: "off", spellcheck: "false", placeholder: say("names.example") });
    field.addEventListener("input", () => {
      if (most === 2 && field.value.trim()) for (const tick of ticks) tick.querySelector("input").checked = false;
    });
    return el(
      "div",
      { class: "part" },
      el("p", { class: "hint" }, say("newgame.here.about")),
      ticks,
      el("label", { class: "choice" }, el("span", {}, label), field),
    );
  }

  /** Make the fields of what people agree on: the clock, and whether the game counts. */
  #terms() {
    const rated = el("label", { class: "tick" }, el("input", { type: "checkbox", name: "rated", checked: true }), el("span", {}, say("newgame.rated")));
    return el("div", { class: "terms", data: { for: "people" } }, clockField(this.#context.choices()), rated);
  }

  #options(game) {
    const options = game.options.map((option) => {
      const values = option.values.map(({ value, label, about }) => ({ value, label: about ? `${label}: ${about}` : label }));
      return select(`option.${option.name}`, option.label, values, option.usual);
    });
    return options.length ? el("details", {}, el("summary", {}, say("newgame.more")), options) : null;
  }

  /** Return the command for the choices made, and the names at this screen that join; throws an Error with a text. */
  async #line(game, form) {
    const { elements } = form;
    const kind = elements.kind.value;
    const parts = [`/play ${game.key}`];
    const [, most] = game.seats;
    const others = [];
    if (kind === "computer") {
      parts.push(`computer:${elements.level.value}`);
      if (elements.computers) parts.push(`computers:${elements.computers.value}`);
    } else if (kind === "invitation") {
      if (elements.seats) parts.push(`seats:${elements.seats.value}`);
    } else {
      const ticked = [...form.querySelectorAll(`input[name=${kind}]:checked`)].map((box) => box.value);
      const wanted = kind === "here" ? elements.name.value.trim() : "";
      if (!ticked.length && !wanted) throw new Error(say(KINDS[kind].missing));
      if (ticked.length + Boolean(wanted) >= most) throw new Error(say("newgame.too-many", { n: most - 1 }));
      if (wanted) ticked.push((await this.#addName(wanted)).name);
      parts.push(...ticked.map(quoteName));
      if (kind === "here") others.push(...this.#context.names().filter((name) => ticked.includes(name.name)));
    }
    for (const option of game.options) {
      const { value } = elements[`option.${option.name}`];
      if (value !== option.usual) parts.push(`${option.name}:${value}`);
    }
    if (kind === "people" || kind === "invitation") {
      const clock = elements.clock.value === OWN_CLOCK ? elements["clock-own"].value.replace(/\s/g, "") : elements.clock.value;
      if (elements.clock.value !== OWN_CLOCK) saveSetting("clock", elements.clock.value);
      if (clock && clock !== NO_CLOCK) parts.push(`clock:${clock}`);
      if (!elements.rated.checked) parts.push("rated:no");
    }
    return { line: parts.join(" "), others };
  }

  /** Add a name to this browser, for a person who plays at this screen. */
  async #addName(wanted) {
    const known = this.#context.names().find((name) => name.name === wanted);
    if (known) return known;
    const { name } = await ask("/api/names", { name: wanted, language: this.#context.language() });
    this.#context.addName(name);
    return name;
  }

  async #start(game, form, trouble) {
    if (this.#busy) return;
    // Who begins comes first, before those who join them at this screen.
    if (this.#context.needName && !(await this.#context.needName())) return;
    this.#busy = true;
    try {
      const { line, others } = await this.#line(game, form);
      dialog.close();
      if (!(await this.#context.play(line, others))) this.#refused = game.key;
    } catch (error) {
      const isUnreachable = error instanceof TypeError || error instanceof DOMException;
      trouble.textContent = error instanceof Refusal ? sayError(error) : isUnreachable ? say("error.unreachable") : error.message;
      trouble.scrollIntoView({ block: "nearest" });
    } finally {
      this.#busy = false;
    }
  }
}
