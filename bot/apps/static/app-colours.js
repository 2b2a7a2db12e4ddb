// The host's colours in place of the page's own, as far as they can be read on each other.

import { useTheme } from "./theme.js";

// What text needs beside its ground (WCAG 2.2, 1.4.3).
const READABLE = 4.5;

function parsed(colour) {
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

/** Take the colours of Telegram's theme (https://core.telegram.org/bots/webapps, ThemeParams). */
export function adoptColours(theme) {
  const root = document.documentElement;
  const ground = parsed(theme.bg_color);
  if (!ground) return;
  const dark = luminance(ground) < 0.18;
  root.dataset.theme = dark ? "dark" : "light";
  useTheme(root.dataset.theme);
  const set = (name, colour, on) => {
    const taken = parsed(colour);
    if (taken && (!on || contrast(taken, on) >= READABLE)) root.style.setProperty(name, colour);
    else root.style.removeProperty(name);
  };
  set("--ink", theme.text_color, ground);
  set("--soft", theme.hint_color, ground);
  const ink = parsed(theme.text_color);
  if (ink && contrast(ink, ground) >= READABLE) root.style.setProperty("--paper", theme.bg_color);
  else return;
  set("--band", theme.secondary_bg_color, ink);
  set("--raised", theme.section_bg_color ?? theme.secondary_bg_color, ink);
  const key = parsed(theme.button_color);
  const onKey = parsed(theme.button_text_color);
  // A colour that is used for keys and for words alike has to be readable as both.
  const fits = key && onKey && contrast(key, onKey) >= READABLE && contrast(key, ground) >= READABLE;
  for (const [name, colour] of [["--teal", theme.button_color], ["--on-teal", theme.button_text_color]]) {
    if (fits) root.style.setProperty(name, colour);
    else root.style.removeProperty(name);
  }
}
