// Makes elements; typed text is always inserted as text, never as markup.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

// Drawn for this page: heavy strokes and flat shapes, as on the boards.
const ICONS = {
  send: "M12 20V5M5 12l7-7 7 7",
  answer: "M10 6 4 12l6 6M4 12h9a7 7 0 0 1 7 7",
  type: "M3 6.5h18v11H3zM7 10.5h0M12 10.5h0M17 10.5h0M8 14.5h8",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  share: "M12 15V4M8 7.5 12 3.5l4 4M6 11H5v9.5h14V11h-1",
  turn: "M5 9a7.5 7.5 0 0 1 13-2l2 2M20 4v5h-5M19 15a7.5 7.5 0 0 1-13 2l-2-2M4 20v-5h5",
  undo: "M9 5 4 10l5 5M4 10h10a6 6 0 0 1 0 12h-2",
  hint: "M9.5 18h5M10.5 21.5h3M12 3a6 6 0 0 1 3.2 11c-.6.5-.7 1-.7 1.7h-5c0-.7-.1-1.200-.7-1.700A6 6 0 0 1 12 3z",
  learn: "M2.500 9.500 12 5l9.500 4.500L12 14zM6.500 11.500V16c3 2.500 8 2.500 11 0v-4.500",
  first: "M5 5v14M19 6l-6 6 6 6M12.500 6l-6 6 6 6",
  prev: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  last: "M19 5v14M5 6l6 6-6 6M11.500 6l6 6-6 6",
  more: "M5 12h0M12 12h0M19 12h0",
  close: "M6 6l12 12M18 6 6 18",
  down: "M12 4v15M5 12l7 7 7-7",
  open: "M6 9l6 6 6-6",
  secret: "M3 12c4-7 14-7 18 0-4 7-14 7-18 0zM12 9.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z",
  add: "M12 5v14M5 12h14",
  save: "M12 4v11M7 10l5 5 5-5M5 20h14",
  back: "M4 12h16M10 6l-6 6 6 6",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.2 1.2M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1.2-1.2",
  key: "M14.5 4a5.5 5.5 0 1 1-4 9.3L4 20v0h4v-3h3v-2.5M16 8h0",
  home: "M4 11.5 12 4.5l8 7M6.5 10v9.5h11V10",
  talk: "M4 5h16v11.5h-8L7.5 20v-3.5H4z",
  menu: "M4 6.5h16M4 12h16M4 17.5h16",
  play: "M7 4.5v15l12-7.5z",
  games: "M4 4h16v16H4zM4 12h16M12 4v16",
  learn: "M12 7c-2.5-2-5-2.5-8-2.5V18c3 0 5.5.5 8 2.5 2.5-2 5-2.5 8-2.5V4.5c-3 0-5.5.5-8 2.5zM12 7v13",
  puzzle: "M4 9h4.5a2.5 2.5 0 1 1 5 0H18v4a2.5 2.5 0 1 1 0 5v2.5H4z",
  cup: "M7 4h10v6a5 5 0 0 1-10 0zM7 6H4c0 3 1 4.5 3.5 5M17 6h3c0 3-1 4.5-3.5 5M12 15v4.5M8 20h8",
  leaders: "M4 20v-7h5v7M9.5 20V5h5v15M15 20v-10h5v10",
  person: "M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM4.5 20.5c1-5 14-5 15 0",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5",
  help: "M8.5 8.5a3.5 3.5 0 1 1 5 3.200c-1 .6-1.5 1.200-1.5 2.800M12 18.5h0",
  clock: "M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17zM12 7.5V12l3.5 2.5",
};

/** Make an element: `on` are its listeners, `data` its data attributes, other names properties or attributes. */
export function el(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (key === "data") Object.assign(element.dataset, value);
    else if (key === "class") element.className = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function svg(name, attributes, ...children) {
  const element = document.createElementNS(SVG_NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Draw an icon, hidden from screen readers. */
export function icon(name) {
  return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

/** Draw the bot: a cotto tile with a piece on it. */
export function botAvatar() {
  const tile = "M13 4h22l11 17-11 17H13L2 21z";
  return svg(
    "svg",
    { viewBox: "0 0 48 48", "aria-hidden": "true" },
    svg("path", { d: "M2 21v5l11 17h22l11-17v-5z", fill: "#7A4530" }),
    svg("path", { d: tile, fill: "#D48F69" }),
    svg("path", { d: "M12.5 20v4.5a11.5 11.5 0 0 0 23 0V20z", fill: "#B9A98F" }),
    svg("circle", { cx: 24, cy: 20, r: 11.5, fill: "#FBF6EB" }),
    svg("circle", { cx: 24, cy: 20, r: 6, fill: "none", stroke: "#B9A98F", "stroke-width": 3 }),
  );
}

/** Draw the avatar of a person: the first letter of the name on a coloured disc. */
export function avatar(name, tone = 0) {
  const first = [...name][0] ?? "?";
  return el("span", { class: `avatar tone${tone}`, "aria-hidden": "true" }, first.toLocaleUpperCase());
}

/** Make a round button with an icon; the words are its label and tooltip. */
export function iconButton(sign, words, onClick, properties = {}) {
  const { class: more = "", ...rest } = properties;
  const named = { type: "button", class: `tool ${more}`, "aria-label": words, title: words };
  return el("button", { ...named, ...rest, on: { click: onClick } }, icon(sign));
}

/** Make a text button, optionally with an icon. */
export function textButton(words, onClick, properties = {}, sign = null) {
  return el("button", { type: "button", class: "quiet", ...properties, on: { click: onClick } }, sign && icon(sign), words);
}

/** Make the image that the server has described: with reduced motion the still of an animation, on a dark screen the dark one. */
export function image({ url, alt, width, height, still, dark }, properties = {}) {
  const img = el("img", { src: url, alt, width, height, ...properties });
  if (dark) return el("picture", {}, el("source", { media: "(prefers-color-scheme: dark)", srcset: dark }), img);
  if (!still) return img;
  const calm = { media: "(prefers-reduced-motion: reduce)", srcset: still.url, width: still.width, height: still.height };
  return el("picture", {}, el("source", calm), img);
}

/** Load a style sheet that nothing needs before; resolves once it applies, or cannot be loaded. */
export function loadStyles(name) {
  return new Promise((done) => {
    const href = new URL(`${name}.css`, import.meta.url).href;
    document.head.append(el("link", { rel: "stylesheet", href, on: { load: done, error: done } }));
  });
}

const lastSources = new Map();

/** Replace elements only if they look different or have another source, so that a press in progress on them is not lost. */
export function replaceIfChanged(root, elements, of = "") {
  const looks = el("div", {}, elements.map((each) => each.cloneNode(true))).innerHTML;
  if (lastSources.get(root) === String(of) && root.innerHTML === looks) return;
  lastSources.set(root, String(of));
  root.replaceChildren(...elements);
}

/** Whether an element or a descendant has the focus. */
export function holdsFocus(element) {
  return element.contains(document.activeElement);
}
