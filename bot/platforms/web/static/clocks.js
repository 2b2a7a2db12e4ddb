// The players' clocks at the table. The server measures and decides; this only counts on from what it has measured.

import { announceTable } from "./announce.js";
import { el } from "./view.js";
import { decimalSign, say } from "./words.js";

const root = document.getElementById("stage-clocks");
const stage = document.getElementById("stage");

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
// Below this, tenths of a second are shown.
const TENTHS_MS = 10 * SECOND_MS;
// When a reader whose own clock runs is told how much is left.
const ANNOUNCED_MS = [MINUTE_MS, 30 * SECOND_MS, 10 * SECOND_MS];
// The server knows first that time is up: if it has said nothing by then, it is asked.
const VERDICT_AFTER_MS = 1500;
const VERDICT_INTERVAL_MS = 5000;

const motion = matchMedia("(prefers-reduced-motion: reduce)");
const two = (number) => String(number).padStart(2, "0");

/** Return what a clock shows, and after how many milliseconds it shows something else. */
export function clockText(left, { isLive, hasTenths }) {
  if (isLive || left < MINUTE_MS) {
    const seconds = Math.floor(left / SECOND_MS);
    const hours = Math.floor(left / HOUR_MS);
    const minutes = Math.floor(seconds / 60) % 60;
    const text = `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
    if (!hasTenths || left >= TENTHS_MS) return { text, next: (left % SECOND_MS) + 1 };
    return { text: `${text}${decimalSign()}${Math.floor((left % SECOND_MS) / 100)}`, next: (left % 100) + 1 };
  }
  const days = Math.floor(left / DAY_MS);
  const hours = Math.floor(left / HOUR_MS) % 24;
  const minutes = Math.floor(left / MINUTE_MS) % 60;
  const key = days ? "clocks.days" : hours ? "clocks.hours" : "clocks.minutes";
  return { text: say(key, { days, hours, minutes }), next: (left % MINUTE_MS) + 1 };
}

export class Clocks {
  #context;
  #code = null;
  /** What the server measured last, and by `performance.now()` when that arrived. */
  #read = null;
  #arrived = 0;
  #seats = new Map();
  #drawn = "";
  #timer = 0;
  #again = 0;
  #lastLeft = Infinity;

  /** Make the clocks; the context gives time by a press, warns of little time, and asks for the server's verdict. */
  constructor(context) {
    this.#context = context;
    motion.addEventListener("change", () => this.#tick());
    document.addEventListener("visibilitychange", () => {
      // A machine that was asleep may not have counted.
      if (!document.hidden && this.#isRunning) this.#context.askVerdict();
    });
  }

  get #isRunning() {
    return this.#read !== null && this.#read.running !== null && !root.hidden;
  }

  /** Show the clocks of a game as they were measured; without any it has no clock. */
  show({ code, names, seat }, read, arrived) {
    if (!read) return this.hide();
    const isOther = code !== this.#code;
    if (isOther || read.running !== this.#read?.running) this.#lastLeft = Infinity;
    this.#code = code;
    this.#read = { ...read, mine: seat };
    this.#arrived = arrived;
    clearTimeout(this.#again);
    // The opponent is away: by then more can be done about it.
    const again = read.again - (performance.now() - arrived) + VERDICT_AFTER_MS;
    if (read.again !== null) this.#again = setTimeout(() => this.#context.askVerdict(), again);
    this.#draw(names);
    root.hidden = false;
    stage.classList.add("timed");
    this.#tick();
  }

  /** Take the clocks away. */
  hide() {
    clearTimeout(this.#timer);
    clearTimeout(this.#again);
    this.#code = this.#read = null;
    this.#drawn = "";
    root.hidden = true;
    stage.classList.remove("timed", "many");
  }

  /** Make a place for each seat, only if something besides the times has changed: a press in progress is not lost. */
  #draw(names) {
    const { left, running, give, away, mine } = this.#read;
    root.setAttribute("aria-label", say("clocks.title"));
    root.style.setProperty("--seats", String(names.length));
    stage.classList.toggle("many", names.length > 3);
    const wanted = JSON.stringify([names, running, give, away, mine, Object.keys(left), document.documentElement.lang]);
    if (wanted === this.#drawn) return;
    this.#drawn = wanted;
    const focused = root.contains(document.activeElement);
    this.#seats.clear();
    const seats = names.map((name, seat) => {
      const time = el("span", { class: "time", role: "timer", "aria-label": say("clocks.of", { name }) });
      if (seat in left) this.#seats.set(seat, time);
      else time.textContent = "–";
      const isAway = away.includes(seat);
      const flags = `${running === seat ? " running" : ""}${isAway ? " away" : ""}${seat === mine ? " own" : ""}`;
      const label = el("span", { class: "player" }, el("span", { class: "name" }, name), isAway && el("span", { class: "tag" }, say("clocks.away")));
      return el("li", { class: `clock${flags}`, data: { seat } }, label, time);
    });
    const giving = give && this.#giveButton(give);
    root.replaceChildren(el("ul", {}, seats), ...(giving ? [giving] : []));
    if (focused && giving) giving.focus({ preventScroll: true });
  }

  /** Make the button that gives the player to move more time; it keeps its place while it is one's own turn. */
  #giveButton({ label, words, press }) {
    const give = () => press && this.#context.press(press);
    return el("button", { type: "button", class: "key give", "aria-label": words, title: words, "aria-disabled": press ? null : "true", data: { key: "give" }, on: { click: give } }, label);
  }

  /** Return how many milliseconds a seat has left now; nothing below zero. */
  #left(seat) {
    const { left, running, waits } = this.#read;
    if (seat !== running) return left[seat];
    const passed = performance.now() - this.#arrived;
    return Math.max(0, left[seat] - Math.max(0, passed - waits));
  }

  #tick() {
    clearTimeout(this.#timer);
    if (this.#read === null) return;
    const { live, running, waits, low } = this.#read;
    let next = 0;
    for (const [seat, time] of this.#seats) {
      const left = this.#left(seat);
      const shown = clockText(left, { isLive: live, hasTenths: seat === running && !motion.matches });
      if (time.textContent !== shown.text) time.textContent = shown.text;
      time.parentElement.classList.toggle("low", left <= low);
      if (seat === running) next = shown.next;
    }
    if (!this.#seats.has(running)) return;
    const left = this.#left(running);
    this.#warn(left);
    if (left === 0) return this.#awaitVerdict(VERDICT_AFTER_MS);
    const delay = Math.max(0, waits - (performance.now() - this.#arrived));
    this.#timer = setTimeout(() => this.#tick(), delay + next);
  }

  /** Time is up here: what that means, the server says. */
  #awaitVerdict(pause) {
    this.#timer = setTimeout(() => {
      this.#context.askVerdict();
      this.#awaitVerdict(VERDICT_INTERVAL_MS);
    }, pause);
  }

  /** Tell a reader whose own clock runs that little is left: once for each limit that it has passed. */
  #warn(left) {
    const before = this.#lastLeft;
    this.#lastLeft = left;
    if (this.#read.running !== this.#read.mine || before === Infinity) return;
    const passed = ANNOUNCED_MS.filter((limit) => left <= limit && before > limit).at(-1);
    if (passed !== undefined && left > 0) announceTable(passed === MINUTE_MS ? say("clocks.last-minute") : say("clocks.left", { n: passed / SECOND_MS }));
    if (left <= this.#read.low && before > this.#read.low) this.#context.warn();
  }
}
