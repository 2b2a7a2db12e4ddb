// The conversation: which messages there are, how they stand together, and where the reader is in it.

import { announce } from "./announce.js";
import { plainText, renderMessage } from "./message.js";
import { el, holdsFocus, icon } from "./view.js";
import { dayName, say } from "./words.js";

const TOGETHER = 5 * 60_000;
const NEAR = 80;
/** A message whose beginning is no farther than this from the top of the window is read from there. */
const TOP = 24;

const scroll = document.getElementById("scroll");
const log = document.getElementById("log");
const jump = document.getElementById("jump");

/** Whether a message stands for a game that has begun, whose answers are shown at the table. */
function isPlayed(message) {
  return Boolean(message?.card?.table) && message.card.table.status !== "lobby";
}

export class Log {
  #context;
  #messages = new Map();
  #elements = new Map();
  #pending = new Map();
  #firstUnread = null;
  #seen = 0;
  #top = null;
  #greeting = null;
  #greetedAfter = 0;
  #hidden = false;

  constructor(context) {
    this.#context = context;
    scroll.addEventListener("scroll", () => this.#look(), { passive: true });
    document.addEventListener("visibilitychange", () => this.#look());
    window.addEventListener("focus", () => this.#look());
    // A keyboard that slides in, or a longer text in the composer, must not push the newest message out of sight.
    let height = scroll.clientHeight;
    new ResizeObserver(() => {
      const before = height;
      height = scroll.clientHeight;
      if (scroll.scrollHeight - scroll.scrollTop - before < NEAR && !this.#isAtTop()) this.toEnd();
    }).observe(scroll);
    jump.addEventListener("click", () => {
      this.toEnd(true);
      this.#context.focusComposer();
    });
  }

  get(id) {
    return this.#messages.get(id);
  }

  /** All messages that are here. */
  get all() {
    return [...this.#messages.values()];
  }

  /** The private answers that hang under a message, the oldest first. */
  hung(id) {
    const found = this.all.filter((child) => child.parent === id);
    return found.sort((one, two) => one.id - two.id);
  }

  get first() {
    const ids = [...this.#messages.keys()];
    return ids.length ? Math.min(...ids) : null;
  }

  get empty() {
    return this.#messages.size === 0 && this.#pending.size === 0;
  }

  clear() {
    this.#messages.clear();
    this.#elements.clear();
    this.#pending.clear();
    this.#firstUnread = null;
    this.#top = null;
    this.#greeting = null;
    log.replaceChildren();
  }

  /** Take the messages that are new or have changed. */
  take(changed, { earlier = false, first = false, seen = 0 } = {}) {
    // The welcome that stands there before the first message may be taller than the window.
    const stay = this.empty || this.#follows();
    const keep = this.#place();
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
      const away = document.hidden || !document.hasFocus() || !stay || scroll.clientHeight === 0;
      if (unread && away) this.#firstUnread ??= unread.id;
    }
    for (const id of touched) this.#refresh(id);
    this.#arrange();
    // What was answered to the reader comes before what others say.
    const answer = first ? null : changed.findLast((message) => message.private && !message.deleted && !this.#isAtTable(message));
    const wanted = first || stay || fresh.some((message) => this.#isMine(message));
    this.#context.taken(changed, first || earlier ? [] : fresh);
    if (earlier) scroll.scrollTop += scroll.scrollHeight - height;
    else if (first && this.#firstUnread !== null) this.#showUnread();
    else if (answer) this.#read(answer, fresh);
    else if (wanted && fresh.length) this.#read(fresh.at(-1), fresh);
    else keep();
    this.#look();
  }

  /** Welcome somebody, once, below the messages that were there when they came. */
  greet(element, after) {
    const stay = this.#follows();
    const before = this.#greeting;
    this.#greeting = element;
    this.#greetedAfter = after;
    this.#arrange();
    if (!before && element && stay && log.lastElementChild === element) {
      this.toEnd();
      if (!this.#fits(element)) element.scrollIntoView({ block: "start" });
    }
    this.#look();
  }

  /** Show what a person has said before the server has it. */
  addPending(event, message) {
    this.#pending.set(event, { ...message, id: `p${event}`, pending: true });
    this.#arrange();
    this.toEnd();
  }

  dropPending(event) {
    this.#pending.delete(event);
    this.#arrange();
  }

  /** Draw everything anew: the reader's language or name is another. */
  refreshAll() {
    for (const id of this.#messages.keys()) this.#refresh(id);
    this.#arrange();
  }

  /** Draw those messages anew whose board begins or ceases to wait for the reader. */
  refresh(ids) {
    const keep = this.#place();
    for (const id of ids) if (this.#messages.has(id)) this.#refresh(id);
    this.#arrange();
    keep();
  }

  /** The conversation is seen again after the table: where nothing was being read, with what is newest. */
  settle() {
    if (this.#hidden && !this.#isAtTop()) this.toEnd();
    this.#hidden = false;
    this.#look();
  }

  toEnd(smooth = false) {
    this.#top = null;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    // Before the first message the welcome is read from its beginning.
    scroll.scrollTo({ top: this.empty ? 0 : scroll.scrollHeight, behavior: smooth && !still ? "smooth" : "instant" });
  }

  /** Show a message: all of it if it fits into the window, else from its beginning, for its words come first. */
  #read(message, fresh = []) {
    const whole = this.#elements.get(message.id) ?? this.#elements.get(message.parent);
    if (!whole) return;
    const hung = whole !== this.#elements.get(message.id);
    const alone = hung && !this.#fits(whole) && !fresh.some((each) => each.id === message.parent);
    this.#bring(alone ? this.#find(message.id) : whole, alone ? message.id : hung ? message.parent : message.id);
  }

  #bring(element, id) {
    if (element === log.lastElementChild) this.toEnd();
    const fits = this.#fits(element);
    element.scrollIntoView({ block: fits ? "nearest" : "start" });
    this.#top = fits ? null : id;
  }

  #fits(element) {
    return element.offsetHeight <= scroll.clientHeight;
  }

  #find(id) {
    return this.#elements.get(id) ?? log.querySelector(`.secret[data-message="${id}"]`);
  }

  /** Whether a message that does not fit is being read from its beginning. */
  #isAtTop() {
    const element = this.#top === null ? null : this.#find(this.#top);
    return Boolean(element) && Math.abs(element.getBoundingClientRect().top - scroll.getBoundingClientRect().top) < TOP;
  }

  /** Note where the reader is and return what brings them back there, whatever has changed meanwhile. */
  #place() {
    if (this.#isAtTop()) return () => this.#find(this.#top)?.scrollIntoView({ block: "start" });
    return this.#atEnd() ? () => this.toEnd() : () => {};
  }

  show(id) {
    const element = this.#elements.get(id);
    if (!element) return false;
    element.scrollIntoView({ block: "end" });
    this.#bring(element, id);
    element.focus({ preventScroll: true });
    element.classList.remove("shown");
    requestAnimationFrame(() => element.classList.add("shown"));
    return true;
  }

  /** Whether a message is shown at the table instead of here. */
  #isAtTable(message) {
    return isPlayed(this.#messages.get(message.parent)) || Boolean(message.card?.picture && message.private);
  }

  #isMine(message) {
    return message.author?.person === this.#context.me()?.person || message.private;
  }

  #atEnd() {
    return scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < NEAR;
  }

  /** Whether the reader is with what is newest: at the end, or at the beginning of the last message and below. */
  #follows() {
    const last = log.lastElementChild?.getBoundingClientRect().top ?? Infinity;
    return this.#atEnd() || last - scroll.getBoundingClientRect().top < TOP;
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
    const element = renderMessage(message, isPlayed(message) ? [] : this.hung(id), this.#context);
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

  #arrange() {
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
      element.classList.toggle("follow", Boolean(same && message.at - previous.at < TOGETHER));
      lines.push(element);
      previous = message;
    };
    let greeting = this.#greeting;
    const greet = () => {
      if (greeting) lines.push(greeting);
      if (greeting) previous = null;
      greeting = null;
    };
    for (const id of shown) {
      if (id > this.#greetedAfter) greet();
      add(this.#messages.get(id), this.#elements.get(id));
    }
    greet();
    for (const message of this.#pending.values()) add(message, renderMessage(message, [], this.#context));
    // Elements that stay where they are keep their focus and open menus.
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
    // Of a game it is said when it waits; what others play is nobody's news, and the table speaks for itself.
    const told = (message) => !message.card?.table && !(message.private && message.card?.picture);
    const heard = fresh.filter((message) => message.author?.person !== this.#context.me()?.person && told(message));
    if (!heard.length) return;
    const lines = heard.slice(-3).map((message) => {
      const from = message.private ? say("private.label") : (message.author?.name ?? "Tavoliere");
      return `${from}: ${plainText(message)}`;
    });
    announce(...lines);
  }

  #showUnread() {
    log.querySelector(".unread")?.scrollIntoView({ block: "start" });
    if (scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 2 * NEAR) this.toEnd();
  }

  /** See what the reader sees: the end reached means that everything is read. */
  #look() {
    // On a phone the table may stand in its place: nothing of it is seen then.
    this.#hidden = scroll.clientHeight === 0;
    if (this.#hidden) return this.#context.unread(this.#firstUnread !== null);
    const end = this.#follows();
    const newest = Math.max(0, ...this.#messages.keys());
    if (end && !document.hidden && document.hasFocus() && newest > this.#seen) {
      this.#seen = newest;
      this.#context.onSeen(newest);
    }
    const unread = this.#firstUnread !== null && newest > this.#seen;
    // The welcome of an empty room is no conversation to jump in.
    jump.hidden = end || this.empty;
    jump.classList.toggle("news", unread);
    this.#context.unread(unread);
    const label = say(unread ? "log.jump-new" : "log.jump");
    if (jump.getAttribute("aria-label") !== label) {
      jump.setAttribute("aria-label", label);
      jump.replaceChildren(icon("down"), el("span", {}, label));
    }
  }

  /** The reader has answered: nothing above is new any more. */
  markRead() {
    if (this.#firstUnread === null) return;
    this.#firstUnread = null;
    this.#arrange();
  }
}
