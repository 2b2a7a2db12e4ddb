// This browser's contribution to the dice (docs/fair-chance.md). On joining a game it commits to the end of a hash chain;
// with each action it reveals the next link, which it cannot choose. So nobody can foresee or choose a roll.

import { readSetting, saveSetting } from "./settings.js";
import { sha256 } from "./sha256.js";

const STORAGE_KEY = "chains";
const CHAIN_LENGTH = 512;
// The chains used last are stored, at most so many.
const MAX_CHAINS = 1000;

const chains = new Map();
const started = new Set();

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOf = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));

async function hash(bytes) {
  return globalThis.crypto?.subtle ? new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)) : sha256(bytes);
}

/** Load the secrets of chains by their ends, and the chain of each game and person. */
function loadSecrets() {
  try {
    return JSON.parse(readSetting(STORAGE_KEY)) ?? { secrets: {}, games: {} };
  } catch {
    return { secrets: {}, games: {} };
  }
}

function saveSecrets(all) {
  for (const part of [all.secrets, all.games]) for (const old of Object.keys(part).slice(0, -MAX_CHAINS)) delete part[old];
  saveSetting(STORAGE_KEY, JSON.stringify(all));
}

/** Return a chain from its secret to its end, cached. */
async function makeChain(secret) {
  if (chains.has(secret)) return chains.get(secret);
  const all = [secret];
  let bytes = bytesOf(secret);
  for (let at = 0; at < CHAIN_LENGTH; at += 1) {
    bytes = await hash(bytes);
    all.push(hex(bytes));
  }
  chains.set(secret, all);
  return all;
}

/** Store a new chain and return its end. */
async function commitToChain() {
  const secret = hex(crypto.getRandomValues(new Uint8Array(32)));
  const end = (await makeChain(secret)).at(-1);
  const all = loadSecrets();
  all.secrets[end] = secret;
  saveSecrets(all);
  return end;
}

/** Return the link whose hash is `head` in a person's chain in a game; null if the chain is lost or used up. */
async function findLink(game, person, head) {
  const all = loadSecrets();
  const key = `${game} ${person}`;
  if (head in all.secrets && all.games[key] !== head) {
    all.games[key] = head;
    saveSecrets(all);
  }
  const end = all.games[key];
  const secret = all.secrets[end];
  if (!secret) return null;
  // Chains in use are dropped last.
  delete all.secrets[end];
  all.secrets[end] = secret;
  saveSecrets(all);
  const found = await makeChain(secret);
  const at = found.indexOf(head);
  return at > 0 ? found[at - 1] : null;
}

/** Return what is sent with an action: a link for a table, if it is known, and a new chain if the action may join a game. */
export async function makeContribution(table, person, joins) {
  try {
    const chance = joins ? { chain: await commitToChain() } : {};
    const head = table?.heads?.[person];
    if (head === undefined) return chance;
    const link = head && (await findLink(table.code, person, head));
    if (link) return { ...chance, game: table.code, link };
    return { chain: chance.chain ?? (await commitToChain()), game: table.code };
  } catch {
    // Without a contribution the action itself still works.
    return {};
  }
}

/** Call `begin` once for every game that waits for the contribution of a name of this browser. */
export function startAwaited(tables, names, begin) {
  for (const table of tables) {
    for (const name of names.filter((each) => table.awaited?.includes(each.person))) {
      const key = `${table.code} ${table.revision} ${name.person}`;
      if (started.has(key)) continue;
      started.add(key);
      begin(table, name);
    }
  }
}
