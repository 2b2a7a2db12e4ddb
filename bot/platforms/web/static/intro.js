// The start screen of a person, and the welcome at the beginning of the conversation.

import { gameCard } from "./newgame.js";
import { botAvatar, el } from "./view.js";
import { say } from "./words.js";

function commandButton(text, context, label = text, kind = "key chip") {
  return el("button", { type: "button", class: kind, on: { click: () => context.send(text, null) } }, label);
}

/** Make the card that starts a game against the computer. */
function computerCard(game, context) {
  return gameCard(game, () => context.play(`/play ${game.key} computer`));
}

function step(key, ...things) {
  return el("li", {}, el("p", {}, say(key)), el("div", { class: "row" }, things));
}

/** Make the ways to begin, of which any will do; a manager whose language is not the room's can change the room's. */
function steps({ games, spoken, manager, context }) {
  const called = (name, rest = "") => `/${context.commandName(name)}${rest}`;
  const rules = games.length > 0 ? called("rules", ` ${games[0].key}`) : called("rules");
  const mine = document.documentElement.lang;
  return el(
    "ul",
    { class: "steps" },
    el("li", {}, el("p", {}, say("intro.computer")), el("div", { class: "game-cards" }, games.map((game) => computerCard(game, context)))),
    step("intro.play", el("button", { type: "button", class: "key", on: { click: () => context.newGame() } }, say("newgame.title"))),
    step("intro.learn", commandButton(called("learn"), context), commandButton(rules, context), commandButton(called("help"), context)),
    spoken === mine || !manager ? null : step("intro.language", commandButton(`/settings language:${mine} for:channel`, context)),
  );
}

/** Make the start screen of a person: the ways to begin. It stays until they begin or put it away. */
export function drawGreeting({ me, games, spoken, manager, context, onDone }) {
  return el(
    "li",
    { class: "greeting" },
    el("span", { class: "avatar bot" }, botAvatar()),
    el("h2", {}, say("intro.title", { name: me.name })),
    el("p", {}, say("intro.about")),
    steps({ games, spoken, manager, context }),
    el("button", { type: "button", class: "key", on: { click: onDone } }, say("intro.done")),
  );
}

/** Draw the welcome above the whole conversation, for a person who knows how to begin. */
export function drawIntro(root, { shown, me }) {
  const wanted = shown ? `${me.user} ${document.documentElement.lang}` : "";
  if (root.dataset.shows === wanted) return;
  root.dataset.shows = wanted;
  root.replaceChildren();
  if (!wanted) return;
  root.append(
    el("span", { class: "avatar bot big" }, botAvatar()),
    el("h2", {}, say("intro.title", { name: me.name })),
    el("p", {}, say("intro.about")),
  );
}
