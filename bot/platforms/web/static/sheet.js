// The sheet: what concerns the reader alone, above everything until they close it.

import { announce } from "./announce.js";
import { loadParts, plainText, renderPrivate } from "./message.js";
import { avatar, el, holdsFocus } from "./view.js";
import { say } from "./words.js";

const sheet = document.getElementById("sheet");

/** Whether there is something to be pressed or filled in. */
const asks = ({ card }) => Boolean(card.form || card.file || card.panels || card.tabs || card.rows.length);

export class Sheet {
  #context;
  #message = null;

  /** Make the sheet; the context dismisses what its reader closes. */
  constructor(context) {
    this.#context = context;
    sheet.addEventListener("click", (event) => event.target === sheet && sheet.close());
    sheet.addEventListener("close", () => {
      const closed = this.#message;
      // It may be open again.
      if (sheet.open) return;
      this.#message = null;
      sheet.replaceChildren();
      if (closed) context.dismiss(closed);
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented) this.closePassing();
    });
  }

  /** The message that is shown; null for none. */
  get message() {
    return this.#message;
  }

  /** Show a message in place of the one before; one that only says something leaves the focus where it is. */
  async show(message) {
    const isSame = message.id === this.#message?.id;
    this.#message = message;
    const loading = loadParts(message);
    if (loading) await loading.catch(() => null);
    // It may have been replaced or closed meanwhile.
    if (this.#message !== message) return;
    const key = sheet.open && holdsFocus(sheet) ? (document.activeElement.dataset.key ?? "") : null;
    const top = isSame ? sheet.scrollTop : 0;
    const shown = renderPrivate(message, this.#context, () => sheet.close());
    shown.id = `m${message.id}`;
    // What is about somebody begins with their face.
    const { text } = message.card;
    const end = text.findIndex((span) => span.text.includes("\n"));
    const who = text.slice(0, end < 0 ? undefined : end).find(({ person }) => person !== undefined);
    if (who && this.#context.toneOf) shown.querySelector(".words")?.prepend(avatar(who.text.replace(/^@/, ""), this.#context.toneOf(who.person)));
    // What this browser does on a turn is set beside what all platforms do.
    const calls = this.#context.callSwitches?.() ?? [];
    shown.querySelector("#form-reminders")?.closest(".section").append(el("div", { class: "calls" }, el("small", {}, say("calls.title")), calls));
    sheet.replaceChildren(shown);
    sheet.setAttribute("aria-label", shown.getAttribute("aria-label"));
    this.#open(asks(message));
    if (!asks(message)) announce(`${say("private.label")}: ${plainText(message, this.#context)}`);
    sheet.scrollTop = top;
    const wrong = sheet.querySelector("[aria-invalid=true]");
    const same = key && sheet.querySelector(`[data-key="${CSS.escape(key)}"]:not([disabled])`);
    if (wrong) wrong.focus();
    // The answer to a whole form is said at the top.
    else if (key === "submit") this.#focusTop();
    else if (key !== null) (same || sheet).focus({ preventScroll: true });
  }

  #open(isModal) {
    if (sheet.open && isModal === sheet.matches(":modal")) return;
    const before = document.activeElement;
    if (sheet.open) sheet.close();
    if (isModal) {
      sheet.showModal();
      sheet.focus({ preventScroll: true });
    } else {
      sheet.show();
      before?.focus({ preventScroll: true });
    }
  }

  #focusTop() {
    sheet.scrollTop = 0;
    sheet.focus({ preventScroll: true });
  }

  /** Take the sheet away because its message is gone. */
  remove() {
    this.#message = null;
    if (sheet.open) sheet.close();
  }

  /** Close the sheet: its message is dismissed. */
  close() {
    if (sheet.open) sheet.close();
  }

  /** Close the sheet if it only says something. */
  closePassing() {
    if (sheet.open && !sheet.matches(":modal")) sheet.close();
  }
}
