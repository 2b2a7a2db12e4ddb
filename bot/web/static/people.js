// Who is at this tab: the welcome, new names, and changing between them.

import { isKey, keyLink } from "./manager.js";
import { ask, Refusal } from "./net.js";
import { screenTheme } from "./theme.js";
import { avatar, botAvatar, el, quiet, tool } from "./view.js";
import { say, sayError } from "./words.js";

const dialog = document.getElementById("names");

/** Make the buttons that choose the page's language. */
export function languageSwitch(languages, current, onChoose) {
  return languages.map(({ code, name }) =>
    quiet(name, () => onChoose(code), { lang: code, "aria-pressed": String(code === current) }),
  );
}

// What the link to a game leads to, by how the game stands.
const INVITES = { lobby: "invitation.lobby", playing: "invitation.playing", over: "invitation.over" };

/** Make what an address invites to: by whom, to which game, and what that looks like. */
function invited({ game, title, about, status, names }) {
  const who = new Intl.ListFormat(document.documentElement.lang).format(names);
  return el(
    "div",
    { class: "invitation" },
    el("img", { src: `/glimpses/${game}-${screenTheme()}.png`, alt: title, "aria-hidden": "true", width: 96, height: 96 }),
    el("p", {}, el("strong", {}, say(INVITES[status], { who, game: title })), el("span", {}, about)),
  );
}

export class Names {
  #context;
  #onDone = null;

  constructor(context) {
    this.#context = context;
    dialog.addEventListener("cancel", (event) => {
      if (!this.#context.me()) event.preventDefault();
    });
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog && this.#context.me()) dialog.close();
    });
  }

  /** Ask who speaks; resolves with one of the session's names. */
  ask() {
    return new Promise((resolve) => {
      this.#onDone = resolve;
      this.#draw();
      if (!dialog.open) dialog.showModal();
      // A finger has not asked for a keyboard over the welcome.
      const field = matchMedia("(pointer: fine)").matches ? dialog.querySelector("input") : dialog.querySelector("h2");
      (dialog.querySelector(".mine button") ?? field).focus();
    });
  }

  /** Ask no more. */
  close() {
    if (dialog.open) dialog.close();
  }

  /** Say everything again in the reader's language. */
  translate() {
    if (dialog.open) this.#draw();
  }

  #choose(name) {
    dialog.close();
    this.#onDone?.(name);
  }

  #draw() {
    const context = this.#context;
    const names = context.names();
    const me = context.me();
    const typed = dialog.querySelector("input")?.value ?? "";
    const trouble = el("p", { id: "name-trouble", role: "alert", class: "trouble" });
    const input = el("input", {
      id: "name",
      maxlength: "48",
      autocomplete: "nickname",
      spellcheck: "false",
      enterkeyhint: "go",
      "aria-describedby": "name-trouble",
      placeholder: say("names.example"),
    });
    input.value = typed;
    const add = async (event) => {
      event.preventDefault();
      const wanted = input.value.trim();
      if (!wanted) return input.focus();
      trouble.textContent = "";
      try {
        const { name } = isKey(wanted)
          ? await ask("/api/return", { key: wanted })
          : await ask("/api/names", { name: wanted, language: context.language() });
        context.added(name);
        input.value = "";
        this.#choose(name);
      } catch (error) {
        trouble.textContent = error instanceof Refusal ? sayError(error) : say("error.unreachable");
        input.focus();
        input.select();
      }
    };
    const form = el(
      "form",
      { on: { submit: add }, class: "name-form" },
      el("label", { for: "name" }, say(names.length ? "names.another" : "names.label")),
      el("div", { class: "name-line" }, input, el("button", { type: "submit", class: "key primary" }, say("names.enter"))),
      trouble,
    );
    const mine = el(
      "ul",
      { class: "mine" },
      names.map((name) =>
        el(
          "li",
          {},
          el(
            "button",
            {
              type: "button",
              class: "person-choice",
              "aria-current": name.user === me?.user ? "true" : null,
              on: { click: () => this.#choose(name) },
            },
            avatar(name.name, context.tone(name.person)),
            el("span", {}, name.name),
            context.waits(name) ? el("span", { class: "turn" }, say("waiting.badge")) : null,
          ),
        ),
      ),
    );
    const back = el("p", { class: "key-of-name" });
    const show = async () => {
      const made = await ask("/api/key", context.speaker()).catch(() => null);
      if (!made) return;
      const link = keyLink(made.key);
      const copied = () => context.copy(link);
      const field = el("input", { class: "copied", readonly: true, value: link, "aria-label": say("names.key-link") });
      back.replaceChildren(el("span", {}, say("names.key-told")), field, quiet(say("names.key-copy"), copied, {}, "link"));
      field.select();
    };
    if (me) back.append(quiet(say("names.key", { name: me.name }), show, {}, "key"));
    const close = tool("close", say("names.close"), () => dialog.close(), { class: "close" });
    const returns = el("p", { class: "hint" }, say("names.returns"));
    const invitation = me ? null : context.invitation();
    const welcome = el(
      "div",
      { class: "welcome" },
      el("span", { class: "avatar bot big" }, botAvatar()),
      el("h2", { id: "names-title", tabindex: "-1" }, say("names.welcome")),
      invitation ? invited(invitation) : null,
      el("p", {}, say("names.about")),
    );
    const title = el("div", {}, el("h2", { id: "names-title" }, say("names.who")), invitation ? invited(invitation) : null);
    const languages = el(
      "div",
      { class: "switch", role: "group", "aria-label": say("page.language") },
      languageSwitch(context.languages(), context.language(), context.changeLanguage),
    );
    const told = context.told();
    dialog.replaceChildren(
      ...(me ? [close] : []),
      names.length ? title : welcome,
      ...(told ? [el("p", { class: "told", role: "status" }, told)] : []),
      ...(names.length ? [mine] : []),
      form,
      ...(names.length ? [] : [returns]),
      ...(me ? [back, el("p", { class: "hint" }, say("names.tabs"))] : [languages]),
      el("p", { class: "hint release" }, context.release()),
    );
  }
}
