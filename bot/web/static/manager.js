// The manager's link: its secret leaves the address at once, and is exchanged for a mark that no script sees.

import { insist, Refusal } from "./net.js";

const LINK = "#manager=";

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
