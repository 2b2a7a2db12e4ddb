// Links with a secret: it leaves the address at once, and is exchanged for what no script sees.

import { insist, Refusal } from "./net.js";

const LINK = "#manager=";
const KEY = "#name=";

/** Take the secret out of the address, and of what the Back button knows; null where there is none. */
export function takeSecret() {
  if (!location.hash.startsWith(LINK)) return null;
  const secret = location.hash.slice(LINK.length);
  history.replaceState(history.state, "", location.pathname + location.search);
  return secret;
}

/** Have this browser manage the room; null if it does, else what stood in the way. */
export async function manage(secret) {
  try {
    await insist("/api/manage", { secret });
    return null;
  } catch (error) {
    return error instanceof Refusal ? error : new Refusal({ code: "unreachable" });
  }
}

/** Take the key of a name out of the address; null where there is none. */
export function takeKey() {
  if (!location.hash.startsWith(KEY)) return null;
  const key = location.hash.slice(KEY.length);
  history.replaceState(history.state, "", location.pathname + location.search);
  return key;
}

/** Whether what was typed as a name is the key of one. */
export function isKey(text) {
  return /^\d{1,9}-[\w-]{32}$/.test(text);
}

/** The link that brings a name back. */
export function keyLink(key) {
  return `${location.origin}/${KEY}${key}`;
}
