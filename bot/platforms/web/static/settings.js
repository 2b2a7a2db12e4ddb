// Settings of this browser, in localStorage; without storage they last until the page is reloaded.

const unsaved = new Map();

/** Return a setting, null if there is none. */
export function readSetting(key) {
  if (unsaved.has(key)) return unsaved.get(key);
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Store a setting. */
export function saveSetting(key, value) {
  try {
    localStorage.setItem(key, value);
    unsaved.delete(key);
  } catch {
    unsaved.set(key, value);
  }
}
