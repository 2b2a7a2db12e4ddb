// One message of the conversation: a person's text, a game in one line, or a card of the bot.

import { makeBoard } from "./board.js";
import { menu } from "./menu.js";
import { copy } from "./overlays.js";
import { avatar, botAvatar, el, icon, iconButton, image, textButton } from "./view.js";
import { clockTime, fullTime, momentWords, say } from "./words.js";

/** Render spans as text; a command in code becomes a button that puts it into the text field. */
export function richText(spans, calls, context) {
  const from = spans.findIndex((span) => span.small);
  if (from < 0) return spans.map((span) => renderSpan(span, calls, context));
  const to = from + [...spans, {}].slice(from).findIndex((span) => !span.small);
  // The fold is a block of its own: the line breaks around it would make empty lines.
  const before = spans.slice(0, from).map((span, at) => (at === from - 1 ? { ...span, text: span.text.replace(/\n$/, "") } : span));
  const after = spans.slice(to).map((span, at) => (at === 0 ? { ...span, text: span.text.replace(/^\n/, "") } : span));
  return [
    ...richText(before, calls, context),
    el("details", { class: "small" }, el("summary", { data: { key: "small" } }, say("message.small")), spans.slice(from, to).map((span) => renderSpan(span, calls, context))),
    ...richText(after, calls, context),
  ];
}

/** Return a span's text, a command by its name in the reader's language. */
function translateCommand({ code, text }, context) {
  return code ? text.replace(/^\/([a-z]+)/, (_, name) => `/${context.commandName(name)}`) : text;
}

/** Return what somebody typed, a command by its name in the reader's language. */
const typedText = ({ text }, context) => translateCommand({ code: true, text }, context);

function renderSpan(span, calls, context) {
  if (span.code && span.text.startsWith("/")) {
    const text = translateCommand(span, context);
    const properties = { type: "button", class: "code", data: { key: `use:${span.text}` }, on: { click: () => context.compose(text) } };
    return el("button", properties, text);
  }
  if (span.code && /^https?:\/\//.test(span.text)) return renderAddress(span.text);
  if (span.code) return el("code", {}, span.text);
  if (span.moment) {
    const at = new Date(span.moment.at);
    return el("time", { datetime: span.moment.at, title: fullTime(at) }, momentWords(at, span.moment.style));
  }
  if (span.person !== undefined) {
    const mine = span.person === context.me()?.person ? " mine" : "";
    const called = calls.includes(span.person) ? " called" : "";
    return el("strong", { class: `person${called}${mine}` }, span.text);
  }
  return span.bold ? el("strong", {}, span.text) : span.text;
}

/** Render an address to be opened, copied, and given to the system's share sheet where there is one. */
function renderAddress(address) {
  const open = el("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, address);
  const give = () => navigator.share({ url: address }).catch((error) => error.name !== "AbortError" && copy(address));
  const ways = [iconButton("copy", say("address.copy"), () => copy(address), { data: { key: `copy:${address}` } })];
  if (navigator.share) ways.push(iconButton("share", say("address.share"), give, { data: { key: `share:${address}` } }));
  return el("span", { class: "address" }, open, ways);
}

// Presses that answer what a game, a lesson, a puzzle or a board to try lines on asks.
const ANSWER_PATTERN = /^[clptz](?::[^=]*)?=/;

function optionButton(option, key, onPress) {
  return el(
    "button",
    { type: "button", class: `key ${option.style}${ANSWER_PATTERN.test(option.press) ? " answer" : ""}`, disabled: option.disabled, data: { key }, on: { click: onPress } },
    option.label,
  );
}

/** Whether a card asks another person: its choices are hidden from this reader. */
function asksSomebodyElse({ calls }, context) {
  return calls.length > 0 && !calls.includes(context.me()?.person);
}

function isChoice(row) {
  return (Array.isArray(row) ? row : row.options).every((option) => option.choice);
}

/** Whether a button is for this reader. */
function isFor(option, context) {
  const me = context.me()?.person;
  const isMine = !option.people || option.people.includes(me) || (option.managers && context.isManager?.());
  return isMine && !option.without?.includes(me);
}

/** Make the buttons and menus of a card; `onPress` handles the presses of an open game instead of the message.
 *
 * Of a menu whose options the picture offers as well (`covered`), only the others are left, as buttons.
 */
export function cardRows(message, context, onPress = null, covered = () => false) {
  const press = onPress ?? ((wanted) => context.press(message, wanted));
  const shown = message.card.rows.filter((row) => onPress || !isChoice(row) || !asksSomebodyElse(message.card, context));
  return shown
    .map((row, index) => {
      const left = Array.isArray(row) ? row : row.options.filter((option) => !covered(option.press));
      if (!Array.isArray(row) && left.length === row.options.length) return menu(row, `menu:${index}`, (option) => press(option.press));
      const mine = left.filter((option) => isFor(option, context));
      const made = mine.map((option) => optionButton(option, `press:${option.press}`, () => press(option.press)));
      return made.length ? el("div", { class: "row" }, made) : null;
    })
    .filter(Boolean);
}

/** Make the button that copies the link to a challenge; it is the primary one while nobody has joined. */
export function lobbyLink({ code, starter, others }, context) {
  const properties = { data: { key: "link" } };
  if (starter && !others.length) properties.class = "key primary";
  return el("div", { class: "row" }, textButton(say("table.link"), () => context.copyLink(code), properties, "link"));
}

function renderPicture(message, context) {
  const { card } = message;
  if (!card.picture) return [];
  if (message.retired) {
    const look = () => context.enlarge(card.picture);
    const properties = { type: "button", class: "old", title: say("board.enlarge"), data: { key: "enlarge" } };
    return [el("button", { ...properties, on: { click: look } }, image(card.picture, { loading: "lazy" }))];
  }
  const theirs = asksSomebodyElse(card, context);
  const press = (wanted) => {
    context.noteTapped();
    return context.press(message, wanted);
  };
  const refuse = (cell, some) => (some ? say("board.not-this", { cell }) : theirs ? say("board.not-you") : null);
  return [makeBoard(card.picture, theirs ? {} : card.presses, press, refuse)];
}

/** Render a private answer: attached to a message, in the conversation, or on the sheet, which `onClose` closes. */
export function renderPrivate(message, context, onClose = null) {
  const dismiss = () => context.dismiss(message);
  const isBoard = !onClose && !message.parent && (message.card.picture || context.isOnTable(message.id));
  return el(
    "div",
    { class: "secret", data: { message: message.id }, role: "group", "aria-label": say("private.label") },
    el(
      "p",
      { class: "secret-head" },
      icon("secret"),
      el("span", {}, say("private.label")),
      onClose
        ? iconButton("close", say("names.close"), onClose, { data: { key: "dismiss" } })
        : textButton(say("private.dismiss"), dismiss, { data: { key: "dismiss" } }),
    ),
    message.parent && message.used ? el("p", { class: "quote" }, el("code", {}, typedText(message.used, context))) : null,
    isBoard ? boardLine(message, context) : cardBody(message, context),
  );
}

/** Make the line that opens a private board at the table. */
function boardLine(message, context) {
  const title = message.card.text.map((span) => span.text).join("").trim().split("\n", 1)[0];
  const open = () => context.openMessage(message.id);
  return el(
    "button",
    { type: "button", class: "game-line", data: { key: "open" }, on: { click: open } },
    el("span", { class: "dot", "aria-hidden": "true" }),
    el("span", { class: "label" }, el("strong", {}, title)),
    el("span", { class: "go" }, say("table.show")),
  );
}

/** What draws tabs, panels and forms; null until the first card that has any is shown. */
let sheetParts = null;

const hasParts = ({ form, panels, tabs }) => Boolean(form || panels?.length || tabs?.length);

/** Load what draws a card's tabs, panels and form, if it has any; null where there is nothing to wait for. */
export function loadParts({ card }) {
  if (sheetParts || !hasParts(card)) return null;
  return import("./panels.js").then((loaded) => (sheetParts = loaded));
}

function parts(message, context) {
  if (!hasParts(message.card)) return [];
  const root = el("div", { class: "parts" });
  const draw = () => root.replaceChildren(...sheetParts.drawParts(message, context));
  if (sheetParts) draw();
  else loadParts(message).then(draw, () => root.remove());
  return [root];
}

function cardBody(message, context) {
  const { card } = message;
  const search = context.search?.(message);
  if (search) return [search];
  const below = cardRows(message, context);
  const first = card.actions?.length ? cardRows({ ...message, card: { ...card, rows: [card.actions] } }, context) : [];
  // What can be done comes right below the title.
  const end = first.length ? card.text.findIndex((span) => span.text === "\n") : -1;
  const [title, rest] = end < 0 ? [card.text, []] : [card.text.slice(0, end), card.text.slice(end + 1)];
  const words = (spans) => (spans.length ? el("div", { class: "words" }, richText(spans, card.calls, context)) : null);
  return [
    words(title),
    first.length ? el("div", { class: "rows" }, first) : null,
    words(rest),
    ...parts(message, context),
    ...renderPicture(message, context),
    card.file ? el("a", { class: "key file", href: card.file.url, download: card.file.name, data: { key: "file" } }, icon("save"), card.file.name) : null,
    below.length ? el("div", { class: "rows" }, below) : null,
  ];
}

/** Return the status of a game in a few words. */
function statusText(table) {
  if (table.status === "lobby") return say(table.awaited.length ? "table.ready" : "table.lobby");
  if (table.status === "playing") return table.turn ? say("table.yours") : table.mover ? say("table.moves", { name: table.mover }) : "";
  if (table.firsts.length === 1) return say("table.won", { name: table.firsts[0] });
  return say(table.firsts.length ? "table.drawn" : "table.over");
}

/** Make the line of a game, with the whole card of a challenge that the reader may answer. */
function tableLine(message, context) {
  const { table } = message.card;
  const open = () => context.openGame({ ...table, message: message.id });
  const line = el(
    "button",
    { type: "button", class: `game-line ${table.status}${table.mine ? " mine" : ""}`, data: { key: "open", code: table.code }, on: { click: open } },
    el("span", { class: "dot", "aria-hidden": "true" }),
    el("span", { class: "label" }, el("strong", {}, table.title), " ", table.names.join(" – ")),
    el("span", { class: "state" }, statusText(table)),
  );
  if (table.status !== "lobby") return [line];
  const { calls } = message.card;
  const concerns = table.mine || calls.includes(context.me()?.person) || message.card.rows.some((row) => Array.isArray(row) && row.some((option) => option.style === "primary" && isFor(option, context)));
  if (!concerns) return [line];
  const whole = el("div", { class: "lobby", data: { code: table.code } });
  // At the table are the same words and buttons.
  whole.hidden = context.openCode?.() === table.code;
  const fill = (view) => {
    if (!view || view.table.status !== "lobby") return;
    const press = (wanted) => context.press(message, wanted);
    const rows = cardRows({ card: view.card }, context, press);
    if (view.table.mine && view.table.starter) rows.push(lobbyLink(view.table, context));
    whole.replaceChildren(
      el("div", { class: "words" }, richText(view.card.text, calls, context)),
      el("div", { class: "rows" }, rows),
    );
  };
  const known = context.lobby(table, fill);
  if (known) fill(known);
  return [line, whole];
}

function renderQuote(answers) {
  return el("p", { class: "quote" }, icon("answer"), el("strong", {}, answers.name), " ", answers.text);
}

function renderTalk(message, context) {
  const quote = message.answers ? renderQuote(message.answers) : null;
  const body = el("div", { class: "bubble" }, quote, el("p", { class: "words" }, message.text));
  if (message.pending) {
    const wait = el("span", { class: "wait", title: say("message.pending") }, icon("clock"));
    return el("div", { class: "line" }, body, wait);
  }
  const label = say("message.answer-to", { name: message.author.name });
  const answer = iconButton("answer", label, () => context.answer(message), { data: { key: "answer" } });
  return el("div", { class: "line" }, body, answer);
}

function cardLine(message, attached, context) {
  const parts = [];
  const { used } = message;
  if (used) parts.push(el("p", { class: "quote" }, el("strong", {}, used.name), " ", el("code", {}, typedText(used, context))));
  if (message.private) parts.push(renderPrivate(message, context));
  else parts.push(el("div", { class: "public" }, cardBody({ ...message, card: context.translated?.(message) ?? message.card }, context)));
  if (attached.length) parts.push(el("div", { class: "attached" }, attached.map((child) => renderPrivate(child, context))));
  return el("div", { class: "card" }, parts);
}

/** Render a message with its attached private answers. */
export function renderMessage(message, attached, context) {
  const table = message.card?.table;
  if (table) {
    const properties = { class: "message table", id: `m${message.id}`, tabindex: "-1" };
    const hung = attached.length ? el("div", { class: "attached" }, attached.map((child) => renderPrivate(child, context))) : null;
    return el("li", properties, el("div", { class: "body" }, tableLine(message, context), hung));
  }
  const own = message.author && message.author.person === context.me()?.person;
  const name = message.author?.name ?? "Tavoliere";
  const sentAt = new Date(message.at);
  const kind = message.author ? (own ? "own" : "other") : "bot";
  const head = el(
    "p",
    { class: "head" },
    el("strong", { class: "name" }, name),
    message.author ? null : el("span", { class: "badge" }, say("message.bot")),
    el("time", { datetime: sentAt.toISOString(), title: fullTime(sentAt) }, clockTime(sentAt)),
    message.edited && message.author ? el("span", {}, say("message.edited")) : null,
  );
  const face = message.author ? avatar(name, context.toneOf(message.author.person)) : el("span", { class: "avatar bot" }, botAvatar());
  const content = message.author ? renderTalk(message, context) : cardLine(message, attached, context);
  return el(
    "li",
    { class: `message ${kind}${message.retired ? " retired" : ""}`, id: `m${message.id}`, tabindex: "-1" },
    face,
    el("div", { class: "body" }, head, content),
  );
}

/** Return the beginning of a message as plain text, for the live region. */
export function plainText(message, context) {
  const spans = message.author ? [message] : message.card.text.filter((span) => !span.small);
  const text = spans.map((span) => translateCommand(span, context)).join("");
  return text.length > 240 ? `${text.slice(0, 239)}…` : text;
}
