// Settings of this browser, in localStorage; without storage they last until the page is reloaded.

const unsaved = new Map();

/** Return a setting, null if there is none. */
export function readSetting(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return unsaved.get(key) ?? null;
  }
}

/** Store a setting. */
export function saveSetting(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    unsaved.set(key, value);
  }
}
