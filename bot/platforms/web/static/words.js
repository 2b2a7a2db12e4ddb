// The texts of the page in the reader's language, from the common catalogues.

let words = {};
let plurals = new Intl.PluralRules("en");
export let language = "en";
// The locale for dates, such as en-GB.
let dates = "en";

export function setLanguage(newLanguage, newWords) {
  language = newLanguage;
  dates = navigator.languages.find((each) => each.split("-")[0] === newLanguage) ?? newLanguage;
  words = newWords;
  plurals = new Intl.PluralRules(newLanguage);
  document.documentElement.lang = newLanguage;
}

/** Return the text of a key with its parameters; `n` selects the plural. */
export function say(key, parameters = {}) {
  let text = words[key] ?? key;
  if (typeof text !== "string") text = plurals.select(parameters.n ?? 1) === "one" ? text[0] : text[1];
  return text.replace(/(\b[ae] )?\{(\w+)\}/gi, (whole, word, name) => {
    if (!(name in parameters)) return whole;
    const value = String(parameters[name]);
    return `${withEuphonicD(word ?? "", value)}${value}`;
  });
}

/** Add the d of Italian "ad" and "ed" before the same vowel: ad Annuvin, ed Elena. */
function withEuphonicD(word, value) {
  const takes = language === "it" && word && value.normalize("NFD")[0]?.toLowerCase() === word[0].toLowerCase();
  return takes ? `${word[0]}d ` : word;
}

/** Return the text of an error. */
export function sayError(error) {
  return `error.${error.code}` in words ? say(`error.${error.code}`, error.params) : say("error.failed");
}

/** Return whether a typed text is a command; input methods type the slash of full width. */
export function isCommand(text) {
  return /^\s*[/\uff0f]/.test(text);
}

/** Return what stands between a number and its tenths. */
export function decimalSign() {
  return (0.5).toLocaleString(language)[1];
}

export function clockTime(moment) {
  return new Intl.DateTimeFormat(dates, { hour: "2-digit", minute: "2-digit" }).format(moment);
}

export function fullTime(moment) {
  return new Intl.DateTimeFormat(dates, { dateStyle: "full", timeStyle: "short" }).format(moment);
}

const TIME_UNITS = [["year", 31_556_952], ["month", 2_629_746], ["week", 604_800], ["day", 86_400], ["hour", 3600], ["minute", 60]];

/** Format a time in the reader's time zone: relative, as a date, or as date and time. */
export function momentWords(at, style) {
  if (style === "day") return new Intl.DateTimeFormat(dates, { dateStyle: "medium" }).format(at);
  if (style === "time") return new Intl.DateTimeFormat(dates, { dateStyle: "medium", timeStyle: "short" }).format(at);
  const seconds = (at - Date.now()) / 1000;
  const [unit, length] = TIME_UNITS.find(([, each]) => Math.abs(seconds) >= 1.5 * each) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(Math.round(seconds / length), unit);
}

/** Return the name of a day: today, yesterday, or its date. */
export function dayName(moment) {
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  const day = new Date(moment);
  day.setHours(0, 0, 0, 0);
  const days = Math.round((midnight - day) / 86_400_000);
  if (days === 0 || days === 1) {
    const words = new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(-days, "day");
    return words[0].toLocaleUpperCase(language) + words.slice(1);
  }
  const options = { weekday: "long", day: "numeric", month: "long" };
  if (day.getFullYear() !== midnight.getFullYear()) options.year = "numeric";
  return new Intl.DateTimeFormat(dates, options).format(day);
}
