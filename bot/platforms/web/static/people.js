// The dialog for names: the welcome, new names, and switching between them.

import { isNameKey, makeKeyLink } from "./manager.js";
import { ask, Refusal } from "./net.js";
import { screenTheme } from "./theme.js";
import { avatar, el, iconButton, textButton } from "./view.js";
import { say, sayError } from "./words.js";

const dialog = document.getElementById("names");

/** Make the buttons for the page's language. */
export function languageButtons(languages, current, onChoose) {
  return languages.map(({ code, name }) =>
    textButton(name, () => onChoose(code), { lang: code, "aria-pressed": String(code === current) }),
  );
}

// The text of an invitation by the status of its game.
const INVITATION_TEXTS = { lobby: "invitation.lobby", playing: "invitation.playing", over: "invitation.over" };

/** Render the invitation in the address: by whom, to which game. */
function renderInvitation({ game, title, about, status, names }) {
  const who = new Intl.ListFormat(document.documentElement.lang).format(names);
  return el(
    "div",
    { class: "invitation" },
    el("img", { src: `/glimpses/${game}-${screenTheme()}.webp`, alt: title, "aria-hidden": "true", width: 96, height: 96 }),
    el("p", {}, el("strong", {}, say(INVITATION_TEXTS[status], { who, game: title })), el("span", {}, about)),
  );
}

export class Names {
  #context;
  #onDone = null;

  constructor(context) {
    this.#context = context;
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.addEventListener("close", () => this.#finish(null));
  }

  /** Ask for a name; resolves with one of the session's names, null if none is given. */
  ask() {
    this.#finish(null);
    return new Promise((resolve) => {
      this.#onDone = resolve;
      this.#draw();
      if (!dialog.open) dialog.showModal();
      // The name is what is missing for what was pressed: it can be typed at once.
      (dialog.querySelector(".mine button") ?? dialog.querySelector("input")).focus();
    });
  }

  #finish(name) {
    const done = this.#onDone;
    this.#onDone = null;
    done?.(name);
  }

  close() {
    if (dialog.open) dialog.close();
  }

  /** Update all texts after a change of language. */
  translate() {
    if (dialog.open) this.#draw();
  }

  #choose(name) {
    this.#finish(name);
    dialog.close();
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
        const { name } = isNameKey(wanted)
          ? await ask("/api/return", { key: wanted })
          : await ask("/api/names", { name: wanted, language: context.language() });
        context.addName(name);
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
            avatar(name.name, context.toneOf(name.person)),
            el("span", {}, name.name),
            context.hasWaitingGame(name) ? el("span", { class: "turn" }, say("waiting.badge")) : null,
          ),
        ),
      ),
    );
    const back = el("p", { class: "key-of-name" });
    const show = async () => {
      const made = await ask("/api/key", context.speaker()).catch(() => null);
      if (!made) return;
      const link = makeKeyLink(made.key);
      const copied = () => context.copy(link);
      const field = el("input", { class: "copied", readonly: true, value: link, "aria-label": say("names.key-link") });
      back.replaceChildren(el("span", {}, say("names.key-told")), field, textButton(say("names.key-copy"), copied, {}, "link"));
      field.select();
    };
    if (me) back.append(textButton(say("names.key", { name: me.name }), show, {}, "key"));
    const close = iconButton("close", say("names.close"), () => dialog.close(), { class: "close" });
    const returns = el("p", { class: "hint" }, say("names.returns"));
    const invitation = me ? null : context.invitation();
    const welcome = el(
      "div",
      { class: "welcome" },
      el("h2", { id: "names-title", tabindex: "-1" }, say("names.first")),
      invitation ? renderInvitation(invitation) : null,
      el("p", {}, say("names.about")),
    );
    const title = el("div", {}, el("h2", { id: "names-title" }, say("names.who")), invitation ? renderInvitation(invitation) : null);
    const languages = el(
      "div",
      { class: "switch", role: "group", "aria-label": say("page.language") },
      languageButtons(context.languages(), context.language(), context.changeLanguage),
    );
    const notice = context.managerNotice();
    dialog.setAttribute("aria-labelledby", "names-title");
    dialog.replaceChildren(
      close,
      names.length ? title : welcome,
      ...(notice ? [el("p", { class: "told", role: "status" }, notice)] : []),
      ...(names.length ? [mine] : []),
      form,
      ...(names.length ? [] : [returns]),
      ...(me ? [back, el("p", { class: "hint" }, say("names.tabs"))] : [languages]),
      el("p", { class: "hint release" }, context.versionText()),
    );
  }
}
