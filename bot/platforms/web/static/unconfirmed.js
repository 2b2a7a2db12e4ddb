// The reader's actions that the server has not confirmed, stored by this browser: when the page is opened again they are
// sent again with the same event ids, so that each counts once.

import { readSetting, saveSetting } from "./settings.js";

const STORAGE_KEY = "unconfirmed";
const MAX_STORED = 20;
// An older action is not sent again: the reader has gone on without it.
const MAX_AGE_MS = 15 * 60_000;

/** The event ids of what this page is sending. */
const sending = new Set();

function readStored() {
  try {
    const stored = JSON.parse(readSetting(STORAGE_KEY));
    return Array.isArray(stored) ? stored.filter((each) => each?.body?.event) : [];
  } catch {
    return [];
  }
}

/** Store an action of a person until it is confirmed. */
export function storeAction(person, path, body) {
  sending.add(body.event);
  const stored = readStored();
  const { at } = stored.find((each) => each.body.event === body.event) ?? { at: Date.now() };
  const others = stored.filter((each) => each.body.event !== body.event);
  saveSetting(STORAGE_KEY, JSON.stringify([...others, { person, path, body, at }].slice(-MAX_STORED)));
}

/** Remove an action: there is an answer. */
export function removeStoredAction(event) {
  sending.delete(event);
  const stored = readStored();
  const others = stored.filter((each) => each.body.event !== event);
  if (others.length < stored.length) saveSetting(STORAGE_KEY, JSON.stringify(others));
}

/** Return a person's actions that are to be sent again, and remove those that are too old, whose number is `late`. */
export function takeStoredActions(person) {
  const mine = readStored().filter((each) => each.person === person && !sending.has(each.body.event));
  const late = mine.filter(({ at }) => Date.now() - at > MAX_AGE_MS);
  for (const { body } of late) removeStoredAction(body.event);
  return { again: mine.filter((each) => !late.includes(each)), late: late.length };
}
