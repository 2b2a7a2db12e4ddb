// A form of a card with the browser's own controls: a label and the current value in each line.

import { el } from "./view.js";

let nextNumber = 0;

function option([value, label], field) {
  return el("option", { value, selected: value === field.value }, label);
}

function control(field, named) {
  const { kind, value, options, least, most } = field;
  if (kind === "yes-no") return el("input", { ...named, type: "checkbox", checked: value === "yes" });
  if (options.length) return el("select", named, options.map((each) => option(each, field)));
  if (kind === "number") return el("input", { ...named, type: "number", min: least, max: most, value });
  // People whose ids are known are shown by their names.
  const shown = kind === "people" ? value.replace(/<@[^|>]*\|([^>]*)>/g, '@"$1"') : value;
  return el("input", { ...named, type: "text", maxlength: kind === "text" ? most : 400, value: shown, autocomplete: "off" });
}

function boxes(field, name) {
  const chosen = field.value.split(",");
  return field.options.map(([value, label], index) => {
    const box = el("input", { type: "checkbox", id: `${name}-${index}`, name: field.name, value, checked: chosen.includes(value) });
    return el("label", { for: `${name}-${index}` }, box, label);
  });
}

function line(field) {
  nextNumber += 1;
  const name = `field${nextNumber}`;
  const about = el("small", { id: `${name}-about` }, field.about);
  const error = field.error ? el("p", { id: `${name}-error`, class: "error", role: "alert" }, field.error) : null;
  if (field.kind === "several") return el("fieldset", { class: "field" }, el("legend", {}, field.label), boxes(field, name), about, error);
  const described = error ? `${name}-error ${name}-about` : `${name}-about`;
  const named = { id: name, name: field.name, "aria-describedby": described, "aria-invalid": error ? "true" : null };
  return el("div", { class: "field" }, el("label", { for: name }, field.label), control(field, named), about, error);
}

/** Return the values of a form's fields by name. */
function readValues(fields, data) {
  const read = ({ name, kind }) => {
    if (kind === "several") return data.getAll(name).join(",");
    if (kind === "yes-no") return data.has(name) ? "yes" : "no";
    return data.get(name) ?? "";
  };
  return Object.fromEntries(fields.map((field) => [field.name, read(field)]));
}

/** Make the form of a card; `onSubmit` gets the press that it carries and the values of its fields. */
export function makeForm({ press, submit, fields }, onSubmit) {
  const send = (event) => {
    event.preventDefault();
    onSubmit(press, readValues(fields, new FormData(event.target)));
  };
  const button = el("button", { type: "submit", class: "key primary", data: { key: "submit" } }, submit);
  return el("form", { class: "form", method: "post", on: { submit: send } }, fields.map(line), button);
}
