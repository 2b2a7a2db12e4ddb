// A form of a card: the server draws it, the browser's own controls show it.

import { el } from "./view.js";

const build = ([name, attributes, ...children]) => el(name, attributes, ...children.map((child) => (Array.isArray(child) ? build(child) : child)));

/** Return the values of a form's fields by name: of several with one name, the first is what counts if there are no others. */
function readValues(form) {
  const data = new FormData(form);
  const read = ([first, ...more]) => (more.length ? more.join(",") : first);
  return Object.fromEntries([...new Set(data.keys())].map((name) => [name, read(data.getAll(name))]));
}

/** The values that were sent to see what depends on them, by form. */
const sent = new WeakMap();

/** Keep in a form that was drawn anew what its reader has changed since they asked for it. */
export function keepChanges(before, after) {
  const asked = before && after && sent.get(before);
  if (!asked) return;
  const now = readValues(before);
  for (const control of after.elements) {
    const value = now[control.name];
    if (control.type === "hidden" || value === undefined || value === asked[control.name]) continue;
    if (control.type === "checkbox") control.checked = value.split(",").includes(control.value);
    else control.value = value;
  }
}

/** Make the form; `onSubmit` gets the press of the button that submits it, and the values of its fields. */
export function makeForm(drawn, onSubmit) {
  const form = build(drawn);
  const [main, again] = form.querySelectorAll("button[name=press]");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    onSubmit((event.submitter ?? main).value, readValues(form));
  });
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
