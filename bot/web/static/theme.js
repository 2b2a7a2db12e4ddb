// The theme in which boards are drawn for those who have chosen none.

let hostTheme = null;

/** Have the theme be the one of the program that shows the page, whatever the screen's is. */
export function useTheme(theme) {
  hostTheme = theme;
}

/** The theme of the reader's screen, for those who have chosen none. */
export function screenTheme() {
  if (matchMedia("(prefers-contrast: more)").matches) return "contrast";
  return hostTheme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}
