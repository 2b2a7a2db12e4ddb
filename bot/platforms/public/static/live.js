// A live stream that is never silently dead: the same for the page, the apps and the public pages.

// The server sends something at least every 15 s (bot/operations/live_streams.py).
const MAX_SILENCE_MS = 35_000;
// A stream may be missing for this long before the reader is told, and the server polled.
const GRACE_MS = 3000;
const POLL_INTERVAL_MS = 3000;
export const RETRY_DELAYS_MS = [500, 1000, 2000, 4000, 8000];
// A stream that has brought something within this time is not opened again only to have a fresh look.
const FRESH_MS = 1000;

/** Return the function that opens a WebSocket; `hello` returns its first message, if any. */
export function socketTo(url, hello = null) {
  return ({ onMessage, onClose }) => {
    const address = new URL(url(), location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    socket.onopen = () => hello && socket.send(JSON.stringify(hello()));
    socket.onmessage = (event) => onMessage(JSON.parse(event.data));
    socket.onclose = (event) => onClose(event.code);
    return {
      close: () => socket.close(),
      send: (data) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(data)),
    };
  };
}

/** Return the function that opens server-sent events of some names; each message is `[name, data, id]`. */
export function eventsFrom(url, names) {
  return ({ onMessage, onClose }) => {
    const source = new EventSource(url);
    for (const name of ["heartbeat", ...names]) {
      source.addEventListener(name, (event) => onMessage([name, JSON.parse(event.data), event.lastEventId]));
    }
    // The browser would try again as well, but not tell when.
    source.onerror = () => {
      source.close();
      onClose(0);
    };
    return { close: () => source.close() };
  };
}

/** A stream of changes that reconnects by itself.
 *
 * `state` is "live"; "connecting" while the stream is missing but not for long; then "polling" while the server answers
 * polls in its place, or "lost". Each message is passed to `onNews`, each change of the state to `onState`, with the
 * code with which the last connection was closed. `poll` returns a promise of messages; it is called every `pollMs`.
 */
export class LiveStream {
  #connect;
  #poll;
  #onNews;
  #onState;
  #pollMs;
  #connection = null;
  #changedAt = -Infinity;
  #failures = 0;
  #code = 0;
  #retry = 0;
  #silence = 0;
  #grace = 0;
  #polls = 0;
  #round = 0;
  #closed = false;
  state = "connecting";

  constructor({ connect, poll, onNews, onState, pollMs = POLL_INTERVAL_MS }) {
    this.#connect = connect;
    this.#poll = poll;
    this.#pollMs = pollMs;
    this.#onNews = onNews;
    this.#onState = onState;
    this.#startGrace();
    this.#open();
    window.addEventListener("online", this.reopen);
    window.addEventListener("offline", this.#leave);
    window.addEventListener("pageshow", this.#look);
    document.addEventListener("visibilitychange", this.#look);
  }

  /** Open the stream again at once: the one that there is may be dead. */
  reopen = () => {
    if (this.#closed) return;
    this.#lose(0);
    this.#open();
  };

  /** Send a message if there is a connection. */
  send(data) {
    this.#connection?.send(data);
  }

  close() {
    this.#closed = true;
    this.#round += 1;
    this.#disconnect();
    for (const timer of [this.#retry, this.#grace, this.#polls]) clearTimeout(timer);
    window.removeEventListener("online", this.reopen);
    window.removeEventListener("offline", this.#leave);
    window.removeEventListener("pageshow", this.#look);
    document.removeEventListener("visibilitychange", this.#look);
  }

  #look = () => {
    if (!document.hidden && performance.now() - this.#changedAt > FRESH_MS) this.reopen();
  };

  /** Without a network there is no stream, although nothing closes it. */
  #leave = () => {
    this.#disconnect();
    this.#end(0);
  };

  #disconnect() {
    const old = this.#connection;
    this.#connection = null;
    clearTimeout(this.#silence);
    old?.close();
  }

  #open() {
    clearTimeout(this.#retry);
    this.#disconnect();
    const mine = {};
    const isCurrent = () => this.#connection?.mine === mine && !this.#closed;
    const onMessage = (message) => isCurrent() && this.#hear(message);
    const onClose = (code) => isCurrent() && this.#end(code);
    this.#connection = { mine, ...this.#connect({ onMessage, onClose }) };
    this.#listen();
  }

  #listen() {
    this.#changedAt = performance.now();
    clearTimeout(this.#silence);
    this.#silence = setTimeout(this.reopen, MAX_SILENCE_MS);
  }

  #hear(message) {
    this.#listen();
    this.#failures = 0;
    this.#code = 0;
    this.#round += 1;
    clearTimeout(this.#grace);
    clearTimeout(this.#polls);
    this.#setState("live");
    this.#onNews(message);
  }

  /** The connection was closed: open it again in a while. */
  #end(code) {
    this.#connection = null;
    clearTimeout(this.#silence);
    this.#lose(code);
    // The listener may have closed it.
    if (this.#closed) return;
    const pause = RETRY_DELAYS_MS[Math.min(this.#failures, RETRY_DELAYS_MS.length - 1)];
    this.#failures += 1;
    this.#retry = setTimeout(() => this.#open(), pause * (0.5 + Math.random() / 2));
  }

  #lose(code) {
    this.#code = code;
    if (this.state !== "live") return this.#onState(this.state, code);
    this.#startGrace();
    this.#setState("connecting");
  }

  #startGrace() {
    const end = () => {
      this.#setState("lost");
      this.#pollAgain();
    };
    this.#grace = setTimeout(end, GRACE_MS);
  }

  /** Ask for what the stream would have brought, again and again until there is one. */
  async #pollAgain() {
    const round = this.#round;
    const found = document.hidden ? [] : await this.#poll().catch(() => null);
    // Meanwhile there may be a stream again.
    if (round !== this.#round) return;
    if (!document.hidden) this.#setState(found === null ? "lost" : "polling");
    for (const message of found ?? []) this.#onNews(message);
    this.#polls = setTimeout(() => this.#pollAgain(), this.#pollMs);
  }

  #setState(state) {
    if (this.state === state) return;
    this.state = state;
    this.#onState(state, this.#code);
  }
}
