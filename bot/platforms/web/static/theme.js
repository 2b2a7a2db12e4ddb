// The theme of boards for readers who have chosen none.

let hostTheme = null;

const listeners = [];

/** Use the theme of the program that shows the page; what is drawn already is drawn again if it changes. */
export function setHostTheme(theme) {
  const isChanged = hostTheme !== null && hostTheme !== theme;
  hostTheme = theme;
  if (isChanged) for (const listener of listeners) listener();
}

/** Call a function whenever the theme of the host changes. */
export function onHostThemeChanged(listener) {
  listeners.push(listener);
}

/** Return the theme of the host or the screen. */
export function screenTheme() {
  if (matchMedia("(prefers-contrast: more)").matches) return "contrast";
  return hostTheme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}
