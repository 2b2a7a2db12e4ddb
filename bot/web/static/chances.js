// What this browser gives to chance. Joining a game it commits to the end of a chain of hashes; with what its reader does
// there it opens link after link, each of which could have been nothing else. So nobody can foresee or choose what falls.

import { sha256 } from "./sha256.js";

const KEY = "chains";
const LENGTH = 512;
// How many chains are remembered, those that were used last.
const MOST = 1000;

const links = new Map();
const begun = new Set();
let unkept = null;

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOf = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));

async function hash(bytes) {
  return globalThis.crypto?.subtle ? new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)) : sha256(bytes);
}

/** What is kept: the secrets of chains by their ends, and which of them goes with which game and person. */
function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? unkept ?? { secrets: {}, games: {} };
  } catch {
    return unkept ?? { secrets: {}, games: {} };
  }
}

function keep(all) {
  for (const part of [all.secrets, all.games]) for (const old of Object.keys(part).slice(0, -MOST)) delete part[old];
  unkept = all;
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    // A browser that keeps nothing has its chains until the page is loaded anew.
  }
}

/** Return a chain from its secret to its end. */
async function chain(secret) {
  if (links.has(secret)) return links.get(secret);
  const all = [secret];
  let bytes = bytesOf(secret);
  for (let at = 0; at < LENGTH; at += 1) {
    bytes = await hash(bytes);
    all.push(hex(bytes));
  }
  links.set(secret, all);
  return all;
}

/** Return the end of a new chain, to be committed to. */
async function commit() {
  const secret = hex(crypto.getRandomValues(new Uint8Array(32)));
  const end = (await chain(secret)).at(-1);
  const all = kept();
  all.secrets[end] = secret;
  keep(all);
  return end;
}

/** Return the link that opens a hash in a person's chain in a game; null where the chain is lost, or used up. */
async function opening(game, person, head) {
  const all = kept();
  const key = `${game} ${person}`;
  if (head in all.secrets && all.games[key] !== head) {
    all.games[key] = head;
    keep(all);
  }
  const end = all.games[key];
  const secret = all.secrets[end];
  if (!secret) return null;
  // What is in use is forgotten last.
  delete all.secrets[end];
  all.secrets[end] = secret;
  keep(all);
  const found = await chain(secret);
  const at = found.indexOf(head);
  return at > 0 ? found[at - 1] : null;
}

/** Return what goes with something that a person does: at a table, if it is known which, and perhaps joining a game. */
export async function given(table, person, joins) {
  try {
    const chance = joins ? { chain: await commit() } : {};
    const head = table?.heads?.[person];
    if (head === undefined) return chance;
    const link = head && (await opening(table.code, person, head));
    if (link) return { ...chance, game: table.code, link };
    return { chain: chance.chain ?? (await commit()), game: table.code };
  } catch {
    // Whatever is wrong with chance here, everything else goes on.
    return {};
  }
}

/** Call `begin` for every name of this browser on whose part the start of a game waits, once each. */
export function awaited(tables, names, begin) {
  for (const table of tables) {
    for (const name of names.filter((each) => table.awaited?.includes(each.person))) {
      const key = `${table.code} ${table.revision} ${name.person}`;
      if (begun.has(key)) continue;
      begun.add(key);
      begin(table, name);
    }
  }
}
