// Asking the server, and hearing from it: nothing typed is lost or done twice, whatever happens to the connection.

const PATIENCE = 20_000;
const PAUSES = [500, 1000, 2000, 4000, 8000];
// How often something is tried while the server cannot be reached: a press for a quarter of a minute, since whoever
// pressed waits for it; what was typed for over a minute, as long as a slow machine may take to start.
const TRIES = 6;
export const PATIENT = 14;

/** Where the server is asked, and what is said with every request: apps have paths and tokens of their own. */
export const server = { address: (path) => path, headers: () => ({}) };

/** What the server answered when it refused: a code that the page has words for. */
export class Refusal extends Error {
  constructor(error) {
    super(error.code);
    this.code = error.code;
    this.params = error.params ?? {};
  }
}

/** Return an id for something a person does; sent again, it is still the same thing. */
export function newEvent() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function once(path, body, signal) {
  const options = body
    ? { method: "POST", headers: { "Content-Type": "application/json", ...server.headers() }, body: JSON.stringify(body) }
    : { headers: server.headers() };
  const answer = await fetch(server.address(path), { ...options, signal, cache: "no-store", credentials: "same-origin" });
  if (answer.status > 500) throw new TypeError(`answered ${answer.status}`);
  const result = await answer.json();
  if (!answer.ok) throw new Refusal(result.error ?? { code: "failed" });
  return result;
}

/** Ask once; Refusal if the server says no, another error if it cannot be reached. */
export function ask(path, body) {
  return once(path, body, AbortSignal.timeout(PATIENCE));
}

/** Send what a person did until there is an answer: the server knows the event by its id. */
export async function insist(path, body, { tries = TRIES, onTrouble = () => {} } = {}) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await once(path, body, AbortSignal.timeout(PATIENCE));
    } catch (error) {
      if (error instanceof Refusal || attempt + 1 >= tries) throw error;
      onTrouble();
      await new Promise((resolve) => setTimeout(resolve, PAUSES[Math.min(attempt, PAUSES.length - 1)]));
    }
  }
}

/** The stream of what changes in the room; after a break it goes on where it stopped. */
export class Live {
  #socket = null;
  #timer = 0;
  #failures = 0;
  #closed = false;

  /** `hello` gives what is said first, where anything is. */
  constructor({ url, onNews, onState, hello = null }) {
    this.url = url;
    this.hello = hello;
    this.onNews = onNews;
    this.onState = onState;
    this.#open();
    window.addEventListener("online", this.hurry);
    document.addEventListener("visibilitychange", this.hurry);
  }

  /** Try again at once instead of waiting for the next attempt. */
  hurry = () => {
    if (this.#closed || this.#socket || document.hidden) return;
    clearTimeout(this.#timer);
    this.#open();
  };

  /** Say something, while there is a connection. */
  send(data) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(data));
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    window.removeEventListener("online", this.hurry);
    document.removeEventListener("visibilitychange", this.hurry);
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
      const pause = PAUSES[Math.min(this.#failures, PAUSES.length - 1)];
      this.#failures += 1;
      this.#timer = setTimeout(() => this.#open(), pause * (0.5 + Math.random() / 2));
    };
  }
}
