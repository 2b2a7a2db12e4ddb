// Requests to the server. Retries use the same event id, so nothing is lost or done twice.

import { RETRY_DELAYS_MS } from "./live.js";

const REQUEST_TIMEOUT_MS = 20_000;
// Attempts for what a reader can ask for again; about 15 s.
export const FEW_ATTEMPTS = 6;

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

/** The actions that the server has not confirmed yet. */
const unconfirmed = new Set();

/** Call a function once the server has confirmed all actions. */
export function afterConfirmations(callback) {
  Promise.allSettled(unconfirmed).then(callback);
}

/** Resolve after a while, or as soon as the network is back. */
function pauseUnlessOnline(milliseconds) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      window.removeEventListener("online", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    window.addEventListener("online", end);
  });
}

async function tryAgainAndAgain(path, body, tries, onRetry) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await ask(path, body);
    } catch (error) {
      if (error instanceof Refusal || attempt + 1 >= tries) throw error;
      onRetry();
      await pauseUnlessOnline(RETRY_DELAYS_MS[Math.min(attempt, RETRY_DELAYS_MS.length - 1)]);
    }
  }
}

/** Send an action again and again until there is an answer; `onRetry` is called after each failed attempt.
 *
 * Throws Refusal, or after `tries` attempts the last error.
 */
export function askWithRetries(path, body, { tries = Infinity, onRetry = () => {} } = {}) {
  const answer = tryAgainAndAgain(path, body, tries, onRetry);
  const known = answer.catch(() => {}).finally(() => unconfirmed.delete(known));
  unconfirmed.add(known);
  return answer;
}
