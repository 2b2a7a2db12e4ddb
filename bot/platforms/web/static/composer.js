// The text field: chat, commands with completions, and moves that answer a board.

import { ask } from "./net.js";
import { el, icon, iconButton } from "./view.js";
import { isCommand, say } from "./words.js";

const form = document.getElementById("composer");
const text = document.getElementById("text");
const popup = document.getElementById("popup");
const list = document.getElementById("options");
const bar = document.getElementById("answering");

export class Composer {
  #context;
  #answers = null;
  #items = [];
  #current = -1;
  #requests = 0;
  #timer = 0;
  #sent = [];
  #talkText = "";
  #completed = "";
  #recall = -1;

  constructor(context) {
    this.#context = context;
    text.value = sessionStorage.getItem("draft") ?? "";
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    text.addEventListener("input", () => this.#onInput());
    text.addEventListener("keydown", (event) => this.#onKey(event));
    text.addEventListener("blur", () => setTimeout(() => document.activeElement !== text && this.#close(), 0));
    text.addEventListener("focus", () => isCommand(text.value) && this.#onInput());
    list.addEventListener("pointerdown", (event) => event.preventDefault());
    list.addEventListener("click", (event) => {
      const item = event.target.closest("[data-index]");
      if (item) this.#accept(this.#items[Number(item.dataset.index)]);
    });
    document.getElementById("send").append(icon("send"));
    this.#resize();
  }

  /** Update all texts after a change of language. */
  translate() {
    this.#resize();
    const send = document.getElementById("send");
    send.setAttribute("aria-label", say("composer.send"));
    send.title = say("composer.send");
    list.setAttribute("aria-label", say("composer.completions"));
    this.#label();
    this.#showAnswer();
    this.#close();
  }

  /** Whether the reader is typing. */
  get isTyping() {
    return text.value.trim() !== "" && document.activeElement === text;
  }

  focus() {
    text.focus({ preventScroll: true });
  }

  /** Put a text in the field, with the cursor at its end. */
  setText(value) {
    text.value = value;
    text.setSelectionRange(value.length, value.length);
    this.focus();
    this.#onInput();
  }

  /** Let the text answer a message; for a board it is a move. */
  answer(message, isBoard) {
    this.#answers = { message, isBoard };
    this.#showAnswer();
    this.#label();
    this.focus();
  }

  /** Stop answering a message that is gone, or a board that no longer waits. */
  stopAnsweringIf(gone) {
    if (this.#answers && gone(this.#answers.message, this.#answers.isBoard)) this.#stopAnswering();
  }

  #label() {
    const board = this.#answers?.message.tried ? "composer.line" : "composer.move";
    const key = this.#answers?.isBoard ? board : "composer.text";
    text.placeholder = say(key);
    text.setAttribute("aria-label", say(key));
  }

  #showAnswer() {
    bar.hidden = this.#answers === null;
    document.getElementById("app").classList.toggle("typing", this.#answers?.isBoard ?? false);
    if (!this.#answers) return bar.replaceChildren();
    const { message, isBoard } = this.#answers;
    const board = say(message.tried ? "composer.answering-line" : "composer.answering-board");
    const label = isBoard ? board : say("composer.answering", { name: message.author.name });
    const stop = () => {
      this.#stopAnswering();
      this.focus();
    };
    const quote = isBoard ? null : el("span", { class: "quoted" }, message.text);
    const close = iconButton("close", say("composer.stop-answering"), stop);
    bar.replaceChildren(icon("answer"), el("p", {}, el("strong", {}, label), " ", quote ?? ""), close);
  }

  #stopAnswering() {
    this.#answers = null;
    this.#showAnswer();
    this.#label();
  }

  #resize() {
    text.style.height = "auto";
    // While the table hides the field, its height is 0.
    if (text.scrollHeight > 0) text.style.height = `${Math.min(text.scrollHeight, 168)}px`;
    form.classList.toggle("filled", text.value.trim() !== "");
  }

  #onInput() {
    this.#resize();
    sessionStorage.setItem("draft", text.value);
    clearTimeout(this.#timer);
    if (!isCommand(text.value) && !this.#isMove()) return this.#close();
    this.#timer = setTimeout(() => this.#complete(), 60);
  }

  /** Whether the text may be a move in a waiting game, and was not chosen to be talk. */
  #isMove() {
    const value = text.value.trim();
    if (this.#answers || value === this.#talkText || value.length > 80) return false;
    return /^\S{1,3}\d/.test(value) && this.#context.isWaitedFor();
  }

  async #complete() {
    this.#requests += 1;
    const mine = this.#requests;
    const value = text.value;
    const cursor = text.selectionStart;
    try {
      const { items } = await ask("/api/complete", { ...this.#context.speaker(), text: value, cursor, open: this.#context.openBoard() });
      if (mine !== this.#requests || text.value !== value) return;
      this.#completed = value;
      this.#open(items);
    } catch {
      this.#close();
    }
  }

  #open(items) {
    this.#items = items;
    if (!items.length) return this.#close();
    list.replaceChildren(
      ...items.map((item, index) =>
        el(
          "li",
          { id: `option${index}`, role: "option", "aria-selected": "false", data: { index } },
          el("span", { class: "label" }, item.label),
          item.about ? el("span", { class: "about" }, item.about) : null,
        ),
      ),
    );
    popup.hidden = false;
    text.setAttribute("aria-expanded", "true");
    this.#mark(items[0].likely ? 0 : -1);
  }

  #close() {
    this.#requests += 1;
    popup.hidden = true;
    this.#items = [];
    this.#current = -1;
    text.removeAttribute("aria-activedescendant");
    text.removeAttribute("aria-expanded");
  }

  #mark(index) {
    list.children[this.#current]?.setAttribute("aria-selected", "false");
    this.#current = index;
    const item = list.children[index];
    if (!item) return text.removeAttribute("aria-activedescendant");
    item.setAttribute("aria-selected", "true");
    item.scrollIntoView({ block: "nearest" });
    text.setAttribute("aria-activedescendant", item.id);
  }

  #accept(item) {
    if (!item) return;
    text.value = item.text;
    if (item.talk) this.#talkText = item.text.trim();
    if (item.send) return this.#send();
    text.setSelectionRange(item.cursor, item.cursor);
    this.focus();
    this.#onInput();
  }

  #onKey(event) {
    if (event.isComposing) return;
    const open = !popup.hidden;
    const many = this.#items.length;
    if (open && event.key === "ArrowDown") this.#mark((this.#current + 1) % many);
    else if (open && event.key === "ArrowUp") this.#mark(this.#current <= 0 ? many - 1 : this.#current - 1);
    else if (open && event.key === "Escape") {
      this.#talkText = text.value.trim();
      this.#close();
    }
    else if (open && event.key === "Tab" && !event.shiftKey) this.#accept(this.#items[Math.max(0, this.#current)]);
    else if (open && event.key === "Enter" && !event.shiftKey && this.#suggestionToAccept()) this.#accept(this.#suggestionToAccept());
    else if (event.key === "Enter" && !event.shiftKey) this.#send();
    else if (event.key === "Escape" && this.#answers) this.#stopAnswering();
    else if (event.key === "ArrowUp" && (text.value === "" || this.#recall >= 0)) this.#recallSent(1);
    else if (event.key === "ArrowDown" && this.#recall >= 0) this.#recallSent(-1);
    else return;
    event.preventDefault();
  }

  /** Return the marked suggestion, null if it is already typed or no longer fits. */
  #suggestionToAccept() {
    const item = this.#items[this.#current];
    if (!item || [item.text.trim(), item.whole].includes(text.value.trim())) return null;
    return this.#completed === text.value || item.text.startsWith(text.value) ? item : null;
  }

  #recallSent(step) {
    this.#recall = Math.max(-1, Math.min(this.#sent.length - 1, this.#recall + step));
    text.value = this.#recall < 0 ? "" : this.#sent.at(-1 - this.#recall);
    text.setSelectionRange(text.value.length, text.value.length);
    this.#resize();
    this.#close();
  }

  async #send() {
    const value = text.value.trim();
    if (!value) return;
    const answers = this.#answers;
    clearTimeout(this.#timer);
    this.#close();
    if (this.#sent.at(-1) !== value) this.#sent.push(value);
    this.#recall = -1;
    text.value = "";
    sessionStorage.removeItem("draft");
    this.#stopAnswering();
    this.#resize();
    const done = await this.#context.send(value, answers, value === this.#talkText);
    // A text that could not be sent comes back, unless another was begun.
    if (!done && text.value === "") {
      text.value = value;
      this.#resize();
      if (answers) this.answer(answers.message, answers.isBoard);
    }
  }
}
