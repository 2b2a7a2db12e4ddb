// Requests to the server and the stream of changes. Retries use the same event id, so nothing is lost or done twice.

const REQUEST_TIMEOUT_MS = 20_000;
const RETRY_DELAYS_MS = [500, 1000, 2000, 4000, 8000];
// Attempts while the server cannot be reached: about 15 s for a press, over a minute for a typed text, since a slow
// server may take that long to start.
const MAX_ATTEMPTS = 6;
export const MAX_ATTEMPTS_FOR_TEXT = 14;

/** The address of a path and the headers of every request; apps replace both. */
export const server = { address: (path) => path, headers: () => ({}) };

/** A refusal of the server: its code has a text in the catalogue. */
export class Refusal extends Error {
  constructor(error) {
    super(error.code);
    this.code = error.code;
    this.params = error.params ?? {};
  }
}

/** Return a new event id; a request that is repeated with it is handled once. */
export function newEvent() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function fetchJson(path, body, signal) {
  const options = body
    ? { method: "POST", headers: { "Content-Type": "application/json", ...server.headers() }, body: JSON.stringify(body) }
    : { headers: server.headers() };
  const answer = await fetch(server.address(path), { ...options, signal, cache: "no-store", credentials: "same-origin" });
  if (answer.status > 500) throw new TypeError(`answered ${answer.status}`);
  const result = await answer.json();
  if (!answer.ok) throw new Refusal(result.error ?? { code: "failed" });
  return result;
}

/** Send a request once; throws Refusal, or another error if the server cannot be reached. */
export function ask(path, body) {
  return fetchJson(path, body, AbortSignal.timeout(REQUEST_TIMEOUT_MS));
}

/** Send an action, with retries until there is an answer. */
export async function askWithRetries(path, body, { tries = MAX_ATTEMPTS, onRetry = () => {} } = {}) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await fetchJson(path, body, AbortSignal.timeout(REQUEST_TIMEOUT_MS));
    } catch (error) {
      if (error instanceof Refusal || attempt + 1 >= tries) throw error;
      onRetry();
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAYS_MS[Math.min(attempt, RETRY_DELAYS_MS.length - 1)]));
    }
  }
}

/** The stream of changes; it reconnects by itself and continues where it stopped. */
export class LiveStream {
  #socket = null;
  #timer = 0;
  #failures = 0;
  #closed = false;

  /** `hello` returns the first message to send, if any. */
  constructor({ url, onNews, onState, hello = null }) {
    this.url = url;
    this.hello = hello;
    this.onNews = onNews;
    this.onState = onState;
    this.#open();
    window.addEventListener("online", this.reconnect);
    document.addEventListener("visibilitychange", this.reconnect);
  }

  /** Reconnect at once instead of waiting for the next attempt. */
  reconnect = () => {
    if (this.#closed || this.#socket || document.hidden) return;
    clearTimeout(this.#timer);
    this.#open();
  };

  /** Send a message if there is a connection. */
  send(data) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(data));
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    window.removeEventListener("online", this.reconnect);
    document.removeEventListener("visibilitychange", this.reconnect);
    this.#socket?.close();
  }

  #open() {
    const address = new URL(this.url(), location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    this.#socket = socket;
    socket.onopen = () => this.hello && socket.send(JSON.stringify(this.hello()));
    socket.onmessage = (event) => {
      if (this.#closed) return;
      this.#failures = 0;
      this.onState(true);
      this.onNews(JSON.parse(event.data));
    };
    socket.onclose = (event) => {
      this.#socket = null;
      if (this.#closed) return;
      this.onState(false, event.code);
      const pause = RETRY_DELAYS_MS[Math.min(this.#failures, RETRY_DELAYS_MS.length - 1)];
      this.#failures += 1;
      this.#timer = setTimeout(() => this.#open(), pause * (0.5 + Math.random() / 2));
    };
  }
}
