// Links with a secret, which is removed from the address at once and exchanged for a cookie that no script can read.

import { askWithRetries, FEW_ATTEMPTS, Refusal } from "./net.js";

const MANAGER_PREFIX = "#manager=";
const KEY_PREFIX = "#name=";

/** Remove the secret from the address and the history, and return it; null if there is none. */
export function takeManagerSecret() {
  if (!location.hash.startsWith(MANAGER_PREFIX)) return null;
  const secret = location.hash.slice(MANAGER_PREFIX.length);
  history.replaceState(history.state, "", location.pathname + location.search);
  return secret;
}

/** Make this browser a manager of the room; returns null, or the refusal. */
export async function becomeManager(secret) {
  try {
    await askWithRetries("/api/manage", { secret }, { tries: FEW_ATTEMPTS });
    return null;
  } catch (error) {
    return error instanceof Refusal ? error : new Refusal({ code: "unreachable" });
  }
}

/** Remove the key of a name from the address, and return it; null if there is none. */
export function takeNameKey() {
  if (!location.hash.startsWith(KEY_PREFIX)) return null;
  const key = location.hash.slice(KEY_PREFIX.length);
  history.replaceState(history.state, "", location.pathname + location.search);
  return key;
}

/** Whether a typed name is the key of a name. */
export function isNameKey(text) {
  return /^\d{1,9}-[\w-]{32}$/.test(text);
}

/** Make the link that restores a name. */
export function makeKeyLink(key) {
  return `${location.origin}/${KEY_PREFIX}${key}`;
}
