// A form of a card: the server draws it, the browser's own controls show it.

import { el } from "./view.js";

const build = ([name, attributes, ...children]) => el(name, attributes, ...children.map((child) => (Array.isArray(child) ? build(child) : child)));

/** Return the values of a form's fields by name: of several with one name, the first is what counts if there are no others. */
function readValues(form) {
  const data = new FormData(form);
  const read = ([first, ...more]) => (more.length ? more.join(",") : first);
  return Object.fromEntries([...new Set(data.keys())].map((name) => [name, read(data.getAll(name))]));
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
  form.addEventListener("change", (event) => "leads" in event.target.dataset && onSubmit(again.value, readValues(form)));
  return form;
}
