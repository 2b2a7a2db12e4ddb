// The theme of boards for readers who have chosen none.

let hostTheme = null;

/** Use the theme of the program that shows the page. */
export function setHostTheme(theme) {
  hostTheme = theme;
}

/** Return the theme of the host or the screen. */
export function screenTheme() {
  if (matchMedia("(prefers-contrast: more)").matches) return "contrast";
  return hostTheme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}
