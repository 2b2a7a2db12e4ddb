// Uses the host's colours instead of the page's own where their contrast is sufficient.

import { setHostTheme } from "./theme.js";

// Minimum contrast of text (WCAG 2.2, 1.4.3).
const MIN_CONTRAST = 4.5;
// Minimum contrast of a surface with what it lies on, so that it is seen at all; it also has a shadow.
const MIN_SURFACE_CONTRAST = 1.05;

function parseColour(colour) {
  const found = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour ?? "");
  return found && found.slice(1).map((part) => Number.parseInt(part, 16) / 255);
}

function luminance(colour) {
  const [red, green, blue] = colour.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(one, other) {
  const [light, dark] = [luminance(one), luminance(other)].sort((first, second) => second - first);
  return (light + 0.05) / (dark + 0.05);
}

/** Use the colours of Telegram's theme (https://core.telegram.org/bots/webapps, ThemeParams). */
export function adoptColours(theme) {
  const root = document.documentElement;
  const ground = parseColour(theme.bg_color);
  if (!ground) return;
  const dark = luminance(ground) < 0.18;
  root.dataset.theme = dark ? "dark" : "light";
  setHostTheme(root.dataset.theme);
  const set = (name, colour, on) => {
    const taken = parseColour(colour);
    if (taken && (!on || contrast(taken, on) >= MIN_CONTRAST)) root.style.setProperty(name, colour);
    else root.style.removeProperty(name);
  };
  set("--ink", theme.text_color, ground);
  set("--soft", theme.hint_color, ground);
  const ink = parseColour(theme.text_color);
  if (ink && contrast(ink, ground) >= MIN_CONTRAST) root.style.setProperty("--paper", theme.bg_color);
  else return;
  set("--band", theme.secondary_bg_color, ink);
  // Buttons lie on the ground, so they cannot have its colour: Telegram's light theme has white sections on white.
  const shows = (colour) => parseColour(colour) && contrast(parseColour(colour), ground) >= MIN_SURFACE_CONTRAST;
  set("--raised", [theme.section_bg_color, theme.secondary_bg_color].find(shows), ink);
  const key = parseColour(theme.button_color);
  const onKey = parseColour(theme.button_text_color);
  // The colour is used for buttons and for text, and must be readable as both.
  const fits = key && onKey && contrast(key, onKey) >= MIN_CONTRAST && contrast(key, ground) >= MIN_CONTRAST;
  for (const [name, colour] of [["--teal", theme.button_color], ["--on-teal", theme.button_text_color]]) {
    if (fits) root.style.setProperty(name, colour);
    else root.style.removeProperty(name);
  }
}
