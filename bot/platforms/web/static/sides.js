// From whose side each board is looked at in this tab, and at which of them several people play at this screen.

const sideKey = (code) => `side ${code}`;
const sharedKey = (code) => `shared ${code}`;

/** Return the seat to whose side the board of a game was turned; a shared one begins at the first, null is the reader's. */
export function sideOf(code) {
  const stored = sessionStorage.getItem(sideKey(code));
  if (stored !== null) return Number(stored);
  return isShared(code) ? 0 : null;
}

/** Turn the board of a game to the next seat's side. */
export function turnBoard({ code, seat, names }) {
  sessionStorage.setItem(sideKey(code), String(((sideOf(code) ?? seat ?? 0) + 1) % names.length));
}

/** Whether the names of this browser play a game at this screen, one after the other. */
export function isShared(code) {
  return sessionStorage.getItem(sharedKey(code)) !== null;
}

/** Note that names of this browser play a game at this screen. */
export function shareScreen(code) {
  sessionStorage.setItem(sharedKey(code), "yes");
}
