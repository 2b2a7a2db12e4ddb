// The reader's actions that the server has not confirmed, kept by this browser: when the page is opened again they are
// sent again with the same event ids, so that each counts once.

import { readSetting, saveSetting } from "./settings.js";

const STORAGE_KEY = "unconfirmed";
const MAX_KEPT = 20;
// An older action is not sent again: the reader has gone on without it.
const MAX_AGE_MS = 15 * 60_000;

function readKept() {
  try {
    return JSON.parse(readSetting(STORAGE_KEY)) ?? [];
  } catch {
    return [];
  }
}

/** Keep an action of a person until it is confirmed. */
export function keepAction(person, path, body) {
  const others = readKept().filter((each) => each.body.event !== body.event);
  saveSetting(STORAGE_KEY, JSON.stringify([...others, { person, path, body, at: Date.now() }].slice(-MAX_KEPT)));
}

/** Drop an action: there is an answer. */
export function dropKeptAction(event) {
  const kept = readKept();
  const others = kept.filter((each) => each.body.event !== event);
  if (others.length < kept.length) saveSetting(STORAGE_KEY, JSON.stringify(others));
}

/** Return a person's actions that are to be sent again, and drop those that are too old, whose number is `late`. */
export function takeKeptActions(person) {
  const mine = readKept().filter((each) => each.person === person);
  const late = mine.filter(({ at }) => Date.now() - at > MAX_AGE_MS);
  for (const { body } of late) dropKeptAction(body.event);
  return { again: mine.filter((each) => !late.includes(each)), late: late.length };
}
