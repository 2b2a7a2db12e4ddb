// What only sheets have: tabs, panels (people with faces, games with small boards, figures), forms; loaded with the first.

import { screenTheme } from "./theme.js";
import { avatar, el, image, loadStyles } from "./view.js";
import { language } from "./words.js";

await loadStyles("panels");

/** Make the small board of a game, or a sample of its kind where there is none or the reader may not see it. */
function board({ code, game, revision }, context) {
  const properties = { alt: "", width: 96, height: 96, loading: "lazy" };
  const sample = `/glimpses/${game}-${screenTheme()}.webp`;
  if (!code) return image({ url: sample, ...properties });
  const query = new URLSearchParams({ as: context.me().user, language, theme: screenTheme(), revision });
  const shown = image({ url: `/small/${code}.webp?${query}`, ...properties });
  shown.addEventListener("error", () => { shown.src = sample; }, { once: true });
  return shown;
}

function tile(shown, message, context) {
  const { label, note, lead, press, person, code, game } = shown;
  const face = person === null ? null : avatar(label, context.toneOf(person));
  const parts = [
    game ? board(shown, context) : face,
    lead ? el("span", { class: "lead" }, lead) : null,
    el("strong", {}, label),
    note ? el("span", { class: "note" }, note) : null,
  ];
  const kind = game ? "game" : person === null ? "figure" : "face";
  if (!press) return el("li", {}, el("div", { class: `panel-tile ${kind}` }, parts));
  const open = () => (code ? context.openGame(shown) : context.press(message, press));
  return el("li", {}, el("button", { type: "button", class: `panel-tile ${kind}`, data: { key: `press:${press}` }, on: { click: open } }, parts));
}

/** Draw a row of tabs; the one that is shown has no press. */
function tabs(row, message, context) {
  return el("div", { class: "tabs" }, row.map(({ label, press }) =>
    el("button", { type: "button", "aria-current": press ? null : "true", data: { key: `tab:${label}` }, on: { click: () => press && context.press(message, press) } }, label)));
}

/** Return what a card has of tabs, panels and a form. */
export function drawParts(message, context) {
  const { card } = message;
  return [
    ...(card.tabs ?? []).map((row) => tabs(row, message, context)),
    ...(card.panels ?? []).map(({ title, tiles }) =>
      el("section", { class: "panel", "aria-label": title }, el("h2", {}, title), el("ul", {}, tiles.map((each) => tile(each, message, context))))),
    card.form ? makeForm(card.form, (press, values) => context.fillForm(message, press, values)) : null,
  ].filter(Boolean);
}

const build = ([name, attributes, ...children]) => el(name, attributes, ...children.map((child) => (Array.isArray(child) ? build(child) : child)));

/** Return the values of a form's fields by name: of several with one name, the first is what counts if there are no others. */
function readValues(form) {
  const data = new FormData(form);
  const read = ([first, ...more]) => (more.length ? more.join(",") : first);
  return Object.fromEntries([...new Set(data.keys())].map((name) => [name, read(data.getAll(name))]));
}

/** The values that were sent to see what depends on them, by form. */
const sent = new WeakMap();

/** Keep in a form that takes the place of the sheet's what its reader has changed since they asked for it. */
function keepChanges(after) {
  const before = document.querySelector("#sheet .form");
  const asked = before && sent.get(before);
  if (!asked) return;
  const now = readValues(before);
  for (const control of after.elements) {
    const value = now[control.name];
    if (control.type === "hidden" || value === undefined || value === asked[control.name]) continue;
    if (control.type === "checkbox") control.checked = value.split(",").includes(control.value);
    else control.value = value;
  }
}

/** Make a form: the server draws it, the browser's own controls show it; `onSubmit` gets the press of the button that submits it, and the values of its fields. */
function makeForm(drawn, onSubmit) {
  const form = build(drawn);
  const [main, again] = form.querySelectorAll("button[name=press]");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    onSubmit((event.submitter ?? main).value, readValues(form));
  });
  keepChanges(form);
  if (!again) return form;
  // What depends on a choice is shown as soon as that is made.
  again.hidden = true;
  form.addEventListener("change", (event) => {
    if (!("leads" in event.target.dataset)) return;
    sent.set(form, readValues(form));
    onSubmit(again.value, sent.get(form));
  });
  return form;
}
