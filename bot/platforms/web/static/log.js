// The conversation: its messages, their layout, and the position of the reader.

import { announce } from "./announce.js";
import { plainText, renderMessage } from "./message.js";
import { el, holdsFocus, icon } from "./view.js";
import { dayName, say } from "./words.js";

const GROUP_WITHIN_MS = 5 * 60_000;
const NEAR_END_PIXELS = 80;
const NEAR_TOP_PIXELS = 24;

const scroll = document.getElementById("scroll");
const log = document.getElementById("log");
const jump = document.getElementById("jump");

/** Whether a message is a game that has begun: its answers are shown at the table. */
function hasStarted(message) {
  return Boolean(message?.card?.table) && message.card.table.status !== "lobby";
}

export class Log {
  #context;
  #messages = new Map();
  #elements = new Map();
  #pending = new Map();
  #firstUnread = null;
  #seen = 0;
  #topMessage = null;
  #hidden = false;
  #left = null;

  constructor(context) {
    this.#context = context;
    scroll.addEventListener("scroll", () => this.#updateReadState(), { passive: true });
    document.addEventListener("visibilitychange", () => this.#updateReadState());
    window.addEventListener("focus", () => this.#updateReadState());
    // An on-screen keyboard or a longer text in the field must not hide the newest message.
    let height = scroll.clientHeight;
    new ResizeObserver(() => {
      const before = height;
      height = scroll.clientHeight;
      if (scroll.scrollHeight - scroll.scrollTop - before < NEAR_END_PIXELS && !this.#isAtTop()) this.toEnd();
    }).observe(scroll);
    // What grows above or below by itself must not push the newest message out of view.
    const content = new ResizeObserver(() => {
      if (this.#left?.follows && !this.#hidden && !this.#isAtTop()) this.toEnd();
    });
    for (const part of scroll.children) content.observe(part);
    jump.addEventListener("click", () => {
      this.toEnd(true);
      this.#context.focusComposer();
    });
  }

  get(id) {
    return this.#messages.get(id);
  }

  /** Return all loaded messages. */
  get all() {
    return [...this.#messages.values()];
  }

  /** Return the private answers attached to a message, the oldest first. */
  attachedTo(id) {
    const found = this.all.filter((child) => child.parent === id);
    return found.sort((one, two) => one.id - two.id);
  }

  get firstId() {
    const ids = [...this.#messages.keys()];
    return ids.length ? Math.min(...ids) : null;
  }

  get isEmpty() {
    return this.#messages.size === 0 && this.#pending.size === 0;
  }

  clear({ keepPending = false } = {}) {
    this.#messages.clear();
    this.#elements.clear();
    if (!keepPending) this.#pending.clear();
    this.#firstUnread = null;
    this.#topMessage = null;
    log.replaceChildren();
  }

  /** Take new and changed messages. */
  update(changed, { earlier = false, first = false, seen = 0 } = {}) {
    const stay = this.#isFollowing();
    const keep = this.#savePosition();
    const height = scroll.scrollHeight;
    const before = Math.max(0, ...this.#messages.keys());
    const touched = new Set();
    for (const message of changed) {
      const old = this.#messages.get(message.id);
      if (old?.parent) touched.add(old.parent);
      if (message.deleted) this.#messages.delete(message.id);
      else this.#messages.set(message.id, message);
      if (message.event) this.#pending.delete(message.event);
      touched.add(message.parent && this.#messages.has(message.parent) ? message.parent : message.id);
      touched.add(message.id);
    }
    const fresh = changed.filter((message) => !message.deleted && message.id > before);
    fresh.sort((one, two) => one.id - two.id);
    if (first) {
      this.#seen = seen || Math.max(0, ...this.#messages.keys());
      const unread = [...this.#messages.values()].filter((each) => each.id > this.#seen && !this.#isMine(each));
      this.#firstUnread = unread.length ? Math.min(...unread.map((each) => each.id)) : null;
    } else if (!earlier) {
      this.#announce(fresh);
      const unread = fresh.find((message) => !this.#isMine(message));
      const isElsewhere = document.hidden || !document.hasFocus() || !stay || scroll.clientHeight === 0;
      if (unread && isElsewhere) this.#firstUnread ??= unread.id;
    }
    for (const id of touched) this.#refresh(id);
    this.#layOut();
    // A private answer is shown before new messages of others.
    const answer = first ? null : changed.findLast((message) => message.private && !message.deleted && !this.#isAtTable(message));
    const wanted = first || stay || fresh.some((message) => this.#isMine(message));
    this.#context.onMessages(changed, first || earlier ? [] : fresh);
    if (earlier) scroll.scrollTop += scroll.scrollHeight - height;
    else if (first && this.#firstUnread !== null) this.#showUnread();
    else if (answer) this.#scrollToMessage(answer, fresh);
    else if (wanted && fresh.length) this.#scrollToMessage(fresh.at(-1), fresh);
    else keep();
    this.#updateReadState();
  }

  /** Show a message that is not sent yet. */
  addPending(event, message) {
    this.#pending.set(event, { ...message, id: `p${event}`, pending: true });
    this.#layOut();
    this.toEnd();
  }

  dropPending(event) {
    this.#pending.delete(event);
    this.#layOut();
  }

  /** Draw everything again, after a change of language or name. */
  refreshAll() {
    for (const id of this.#messages.keys()) this.#refresh(id);
    this.#layOut();
  }

  /** Draw some messages again. */
  refresh(ids) {
    const keep = this.#savePosition();
    for (const id of ids) if (this.#messages.has(id)) this.#refresh(id);
    this.#layOut();
    keep();
  }

  /** Scroll to the newest message when the conversation is shown again, or to where the reader was. */
  onShown() {
    const left = this.#left;
    if (this.#hidden && left && !left.follows) scroll.scrollTop = left.top;
    else if (this.#hidden && !this.#isAtTop()) this.toEnd();
    this.#hidden = false;
    this.#updateReadState();
  }

  toEnd(smooth = false) {
    this.#topMessage = null;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    // Before the first message the welcome is shown from its beginning.
    scroll.scrollTo({ top: this.isEmpty ? 0 : scroll.scrollHeight, behavior: smooth && !still ? "smooth" : "instant" });
  }

  /** Scroll to a message: all of it if it fits into the window, else its beginning. */
  #scrollToMessage(message, fresh = []) {
    const whole = this.#elements.get(message.id) ?? this.#elements.get(message.parent);
    if (!whole) return;
    const hung = whole !== this.#elements.get(message.id);
    const alone = hung && !this.#fits(whole) && !fresh.some((each) => each.id === message.parent);
    this.#scrollToElement(alone ? this.#find(message.id) : whole, alone ? message.id : hung ? message.parent : message.id);
  }

  #scrollToElement(element, id) {
    if (element === log.lastElementChild) this.toEnd();
    const fits = this.#fits(element);
    element.scrollIntoView({ block: fits ? "nearest" : "start" });
    this.#topMessage = fits ? null : id;
  }

  #fits(element) {
    return element.offsetHeight <= scroll.clientHeight;
  }

  #find(id) {
    return this.#elements.get(id) ?? log.querySelector(`.secret[data-message="${id}"]`);
  }

  /** Whether a message that does not fit is shown from its beginning. */
  #isAtTop() {
    const element = this.#topMessage === null ? null : this.#find(this.#topMessage);
    return Boolean(element) && Math.abs(element.getBoundingClientRect().top - scroll.getBoundingClientRect().top) < NEAR_TOP_PIXELS;
  }

  /** Save the position and return the function that restores it after changes. */
  #savePosition() {
    if (this.#isAtTop()) return () => this.#find(this.#topMessage)?.scrollIntoView({ block: "start" });
    return this.#isAtEnd() ? () => this.toEnd() : () => {};
  }

  show(id) {
    const element = this.#elements.get(id);
    if (!element) return false;
    element.scrollIntoView({ block: "end" });
    this.#scrollToElement(element, id);
    element.focus({ preventScroll: true });
    element.classList.remove("shown");
    requestAnimationFrame(() => element.classList.add("shown"));
    return true;
  }

  /** Whether a message is shown at the table instead. */
  #isAtTable(message) {
    return hasStarted(this.#messages.get(message.parent)) || Boolean(message.card?.picture && message.private);
  }

  #isMine(message) {
    return message.author?.person === this.#context.me()?.person || message.private;
  }

  #isAtEnd() {
    return scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < NEAR_END_PIXELS;
  }

  /** Whether the newest message is in view, its end, or its beginning at the top; before the first there is none to miss. */
  #isFollowing() {
    if (this.isEmpty) return true;
    const last = log.lastElementChild?.getBoundingClientRect().top ?? Infinity;
    return this.#isAtEnd() || last - scroll.getBoundingClientRect().top < NEAR_TOP_PIXELS;
  }

  #refresh(id) {
    const message = this.#messages.get(id);
    const old = this.#elements.get(id);
    const hung = message?.parent && this.#messages.has(message.parent);
    if (!message || hung) {
      if (old && holdsFocus(old)) this.#context.focusComposer();
      old?.remove();
      this.#elements.delete(id);
      return hung;
    }
    const element = renderMessage(message, hasStarted(message) ? [] : this.attachedTo(id), this.#context);
    this.#elements.set(id, element);
    if (old) {
      const key = holdsFocus(old) ? (document.activeElement.dataset.key ?? "") : null;
      element.classList.toggle("follow", old.classList.contains("follow"));
      old.replaceWith(element);
      if (key !== null) this.#focusAgain(element, key);
    }
    return true;
  }

  #focusAgain(element, key) {
    const inside = element.querySelector(".attached .secret:last-child");
    const same = (root) => root?.querySelector(`[data-key="${CSS.escape(key)}"]:not([disabled])`);
    const kinds = [".rows [data-key]:not([disabled])", "[data-key='dismiss']"];
    const any = (root) => kinds.map((kind) => root?.querySelector(kind)).find(Boolean);
    const target = same(inside) ?? any(inside) ?? same(element) ?? element;
    target.focus({ preventScroll: true });
  }

  #layOut() {
    const shown = [...this.#elements.keys()].sort((one, two) => one - two);
    const lines = [];
    let previous = null;
    const add = (message, element) => {
      const at = new Date(message.at);
      const day = at.toDateString();
      if (!previous || new Date(previous.at).toDateString() !== day) {
        lines.push(el("li", { class: "day" }, el("span", {}, dayName(at))));
        previous = null;
      }
      if (message.id === this.#firstUnread) {
        lines.push(el("li", { class: "unread" }, el("span", {}, say("message.new"))));
        previous = null;
      }
      const same = message.author && previous?.author?.person === message.author.person && !message.answers;
      element.classList.toggle("follow", Boolean(same && message.at - previous.at < GROUP_WITHIN_MS));
      lines.push(element);
      previous = message;
    };
    for (const id of shown) add(this.#messages.get(id), this.#elements.get(id));
    for (const message of this.#pending.values()) add(message, renderMessage(message, [], this.#context));
    // Elements that are not moved keep their focus and open menus.
    let at = log.firstChild;
    const wanted = new Set(lines);
    for (const line of lines) {
      while (at && !wanted.has(at)) {
        const gone = at;
        at = at.nextSibling;
        gone.remove();
      }
      if (at === line) at = at.nextSibling;
      else log.insertBefore(line, at);
    }
    while (at) {
      const gone = at;
      at = at.nextSibling;
      gone.remove();
    }
  }

  #announce(fresh) {
    // Waiting games and the table have announcements of their own.
    const isTalk = (message) => !message.card?.table && !(message.private && message.card?.picture);
    const announced = fresh.filter((message) => message.author?.person !== this.#context.me()?.person && isTalk(message));
    if (!announced.length) return;
    const lines = announced.slice(-3).map((message) => {
      const from = message.private ? say("private.label") : (message.author?.name ?? "Tavoliere");
      return `${from}: ${plainText(message, this.#context)}`;
    });
    announce(...lines);
  }

  #showUnread() {
    log.querySelector(".unread")?.scrollIntoView({ block: "start" });
    if (scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 2 * NEAR_END_PIXELS) this.toEnd();
  }

  /** Update what is read and unread: at the end of the conversation everything is read. */
  #updateReadState() {
    // On a phone the table may hide the conversation.
    this.#hidden = scroll.clientHeight === 0;
    if (this.#hidden) return this.#context.showUnread(this.#firstUnread !== null);
    const end = this.#isFollowing();
    const newest = Math.max(0, ...this.#messages.keys());
    this.#left = { top: scroll.scrollTop, follows: end };
    if (end && !document.hidden && document.hasFocus() && newest > this.#seen) {
      this.#seen = newest;
      this.#context.onSeen(newest);
    }
    const unread = this.#firstUnread !== null && newest > this.#seen;
    // There is nothing to jump to in an empty room.
    jump.hidden = end || this.isEmpty;
    jump.classList.toggle("news", unread);
    this.#context.showUnread(unread);
    const label = say(unread ? "log.jump-new" : "log.jump");
    if (jump.getAttribute("aria-label") !== label) {
      jump.setAttribute("aria-label", label);
      jump.replaceChildren(icon("down"), el("span", {}, label));
    }
  }

  /** Remove the line above new messages: the reader has answered. */
  markRead() {
    if (this.#firstUnread === null) return;
    this.#firstUnread = null;
    this.#layOut();
  }
}
