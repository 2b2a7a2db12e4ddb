// One message of the conversation: what a person said, or a card of the bot's with its picture, buttons and menus.

import { board } from "./board.js";
import { menu } from "./menu.js";
import { avatar, botAvatar, el, icon, image, quiet, tool } from "./view.js";
import { clockTime, fullTime, say } from "./words.js";

/** Rich text: every span is text; what stands as code and begins with a slash can be put into the composer. */
function richText(spans, calls, context) {
  return spans.map((span) => {
    if (span.code && span.text.startsWith("/")) {
      const use = () => context.compose(span.text);
      const properties = { type: "button", class: "code", data: { key: `use:${span.text}` }, on: { click: use } };
      return el("button", properties, span.text);
    }
    if (span.code) return el("code", {}, span.text);
    if (span.person !== undefined) {
      const mine = span.person === context.me()?.person ? " mine" : "";
      const called = calls.includes(span.person) ? " called" : "";
      return el("strong", { class: `person${called}${mine}` }, span.text);
    }
    return span.bold ? el("strong", {}, span.text) : span.text;
  });
}

function button(option, key, onPress) {
  return el(
    "button",
    { type: "button", class: `key ${option.style}`, disabled: option.disabled, data: { key }, on: { click: onPress } },
    option.label,
  );
}

/** Whether a card asks somebody else: what it offers them to choose is left out, the rest stays. */
function asksAnother({ calls }, context) {
  return calls.length > 0 && !calls.includes(context.me()?.person);
}

function isChoice(row) {
  return (Array.isArray(row) ? row : row.options).every((option) => option.choice);
}

/** Whether the reader is among those a button is for. */
function isFor(option, context) {
  const me = context.me()?.person;
  return (!option.people || option.people.includes(me)) && !option.without?.includes(me);
}

/** What can be pressed; `choices` says whether what is to be chosen is offered, too. */
function rows(message, context, choices = !asksAnother(message.card, context)) {
  const shown = message.card.rows.filter((row) => choices || !isChoice(row));
  return shown.map((row, index) => {
    if (!Array.isArray(row)) {
      return menu(row, `menu:${index}`, (option) => context.press(message, option.press));
    }
    return el(
      "div",
      { class: "row" },
      row.filter((option) => isFor(option, context)).map((option) => button(option, `press:${option.press}`, () => context.press(message, option.press))),
    );
  });
}

function picture(message, context) {
  const { card } = message;
  if (!card.picture) return [];
  if (message.retired) {
    const look = () => context.enlarge(card.picture);
    const properties = { type: "button", class: "old", title: say("board.enlarge"), data: { key: "enlarge" } };
    return [el("button", { ...properties, on: { click: look } }, image(card.picture, { loading: "lazy" }))];
  }
  const theirs = asksAnother(card, context);
  const presses = theirs ? {} : card.presses;
  const press = (wanted) => {
    context.tapped();
    return context.press(message, wanted);
  };
  const refuse = (cell, some) => (some ? say("board.not-this", { cell }) : theirs ? say("board.not-you") : null);
  const hint = Object.keys(presses).length > 0 && !context.hasTapped();
  return [hint ? el("p", { class: "tap" }, say("board.tap")) : null, board(card.picture, presses, press, refuse)];
}

/** What one person alone can see, hung under the board that it belongs to or standing in the conversation. */
function secret(message, context) {
  const dismiss = () => context.dismiss(message);
  return el(
    "div",
    { class: "secret", data: { message: message.id }, role: "group", "aria-label": say("private.label") },
    el(
      "p",
      { class: "secret-head" },
      icon("secret"),
      el("span", {}, say("private.label")),
      quiet(say("private.dismiss"), dismiss, { data: { key: "dismiss" } }),
    ),
    message.parent && message.used ? el("p", { class: "quote" }, el("code", {}, message.used.text)) : null,
    cardBody(message, context),
  );
}

function cardBody(message, context) {
  const { card } = message;
  const below = rows(message, context);
  if (!message.private && !message.retired && card.picture && context.isWaiting(message)) {
    const answer = () => context.answer(message);
    const type = quiet(say("board.type-move"), answer, { data: { key: "answer" } }, "answer");
    if (Array.isArray(card.rows.at(-1))) below.at(-1).append(type);
    else below.push(el("div", { class: "row" }, type));
  }
  return [
    card.text.length ? el("div", { class: "words" }, richText(card.text, card.calls, context)) : null,
    ...picture(message, context),
    card.file ? el("a", { class: "key file", href: card.file.url, download: card.file.name, data: { key: "file" } }, icon("save"), card.file.name) : null,
    below.length ? el("div", { class: "rows" }, below) : null,
  ];
}

function answered(answers) {
  return el("p", { class: "quote" }, icon("answer"), el("strong", {}, answers.name), " ", answers.text);
}

function said(message, context) {
  const quote = message.answers ? answered(message.answers) : null;
  const body = el("div", { class: "bubble" }, quote, el("p", { class: "words" }, message.text));
  if (message.pending) {
    const wait = el("span", { class: "wait", title: say("message.pending") }, icon("clock"));
    return el("div", { class: "line" }, body, wait);
  }
  const label = say("message.answer-to", { name: message.author.name });
  const answer = tool("answer", label, () => context.answer(message), { data: { key: "answer" } });
  return el("div", { class: "line" }, body, answer);
}

function cardLine(message, attached, context) {
  const choosing = attached.some((child) => child.card.picture);
  const parts = [];
  const { used } = message;
  if (used) parts.push(el("p", { class: "quote" }, el("strong", {}, used.name), " ", el("code", {}, used.text)));
  if (message.private) parts.push(secret(message, context));
  else parts.push(el("div", { class: "public", hidden: choosing }, cardBody(message, context)));
  if (attached.length) parts.push(el("div", { class: "attached" }, attached.map((child) => secret(child, context))));
  // Rules and the rest stay at hand while the board itself makes room for the choice.
  const beside = choosing && !message.private ? rows(message, context, false) : [];
  if (beside.length) parts.push(el("div", { class: "rows beside" }, beside));
  return el("div", { class: "card" }, parts);
}

/** Make the element of a message; `attached` are the private answers that belong to it. */
export function renderMessage(message, attached, context) {
  const own = message.author && message.author.person === context.me()?.person;
  const name = message.author?.name ?? "Tavoliere";
  const moment = new Date(message.at);
  const kind = message.author ? (own ? "own" : "other") : "bot";
  const head = el(
    "p",
    { class: "head" },
    el("strong", { class: "name" }, name),
    message.author ? null : el("span", { class: "badge" }, say("message.bot")),
    el("time", { datetime: moment.toISOString(), title: fullTime(moment) }, clockTime(moment)),
    message.edited && message.author ? el("span", {}, say("message.edited")) : null,
  );
  const face = message.author ? avatar(name) : el("span", { class: "avatar bot" }, botAvatar());
  const content = message.author ? said(message, context) : cardLine(message, attached, context);
  return el(
    "li",
    { class: `message ${kind}${message.retired ? " retired" : ""}`, id: `m${message.id}`, tabindex: "-1" },
    face,
    el("div", { class: "body" }, head, content),
  );
}

/** A message in a few words, for the live region and the title of a waiting game. */
export function plainText(message) {
  const text = message.author ? message.text : message.card.text.map((span) => span.text).join("");
  return text.length > 240 ? `${text.slice(0, 239)}…` : text;
}
