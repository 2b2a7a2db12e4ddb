// A menu of a card: a button that opens a list, for mouse, touch and keys.

import { el, icon } from "./view.js";

// Letters typed within this time form one search.
const TYPEAHEAD_MS = 700;

let nextNumber = 0;

/** Place a list beside the button that opens it. */
export function placeList(list, opener) {
  // On a phone the style sheet shows the list as a sheet at the bottom.
  if (matchMedia("(max-width: 640px)").matches) return;
  const box = opener.getBoundingClientRect();
  const below = window.innerHeight - box.bottom;
  const up = below < 280 && box.top > below;
  list.style.left = `${Math.min(box.left, window.innerWidth - 300)}px`;
  list.style.minWidth = `${box.width}px`;
  list.style.maxHeight = `${Math.max(160, Math.min(420, (up ? box.top : below) - 16))}px`;
  list.style.top = up ? "auto" : `${box.bottom + 6}px`;
  list.style.bottom = up ? `${window.innerHeight - box.top + 6}px` : "auto";
}

/** Make the menu; `onChoose` gets the option that was chosen. */
export function menu({ placeholder, options }, key, onChoose) {
  nextNumber += 1;
  const name = `menu${nextNumber}`;
  const opener = el(
    "button",
    {
      type: "button",
      class: "key menu",
      "aria-haspopup": "listbox",
      "aria-expanded": "false",
      "aria-controls": name,
      popovertarget: name,
      data: { key },
    },
    el("span", {}, placeholder),
    icon("open"),
  );
  const items = options.map((option, index) =>
    el(
      "li",
      {
        id: `${name}-${index}`,
        class: option.style,
        role: "option",
        "aria-selected": "false",
        "aria-disabled": option.disabled ? "true" : null,
      },
      option.label,
    ),
  );
  const list = el(
    "ul",
    { id: name, class: "listbox", role: "listbox", tabindex: "-1", "aria-label": placeholder, popover: "auto" },
    items,
  );
  let current = 0;
  let typed = "";
  let typedAt = 0;

  const show = (index) => {
    items[current].setAttribute("aria-selected", "false");
    current = Math.max(0, Math.min(items.length - 1, index));
    items[current].setAttribute("aria-selected", "true");
    items[current].scrollIntoView({ block: "nearest" });
    list.setAttribute("aria-activedescendant", items[current].id);
  };
  const choose = (index) => {
    if (options[index].disabled) return;
    list.hidePopover();
    onChoose(options[index]);
  };
  const find = (letter) => {
    const now = Date.now();
    typed = now - typedAt < TYPEAHEAD_MS ? typed + letter : letter;
    typedAt = now;
    const start = typed.length === 1 ? current + 1 : current;
    const order = items.map((_, index) => (start + index) % items.length);
    const found = order.find((index) => options[index].label.toLocaleLowerCase().startsWith(typed));
    if (found !== undefined) show(found);
  };
  const open = () => {
    list.showPopover();
    // At once, so that keys typed right after opening reach the list.
    list.focus({ preventScroll: true });
    show(current);
  };
  opener.addEventListener("click", (event) => {
    event.preventDefault();
    if (list.matches(":popover-open")) list.hidePopover();
    else open();
  });
  opener.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    open();
  });
  list.addEventListener("beforetoggle", (event) => {
    if (event.newState === "open") placeList(list, opener);
  });
  list.addEventListener("toggle", (event) => {
    opener.setAttribute("aria-expanded", String(event.newState === "open"));
    if (event.newState === "open") return;
    if (document.activeElement === list || document.activeElement === document.body) opener.focus();
  });
  list.addEventListener("keydown", (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1, Home: -items.length, End: items.length, PageDown: 8, PageUp: -8 };
    if (event.key in steps) show(current + steps[event.key]);
    else if (event.key === "Enter" || (event.key === " " && Date.now() - typedAt > TYPEAHEAD_MS)) choose(current);
    else if (event.key === "Tab") list.hidePopover();
    else if (event.key.length > 1 || event.ctrlKey || event.metaKey || event.altKey) return;
    else find(event.key.toLocaleLowerCase());
    if (event.key !== "Tab") event.preventDefault();
  });
  items.forEach((item, index) => {
    item.addEventListener("click", () => choose(index));
    item.addEventListener("pointermove", () => index !== current && show(index));
  });
  return el("div", { class: "row" }, opener, list);
}
