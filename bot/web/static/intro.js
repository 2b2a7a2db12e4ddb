// The beginning of the conversation: what this is, and what to do first.

import { gameCard } from "./newgame.js";
import { botAvatar, el } from "./view.js";
import { say } from "./words.js";

function chip(text, context, label = text, kind = "key chip") {
  return el("button", { type: "button", class: kind, on: { click: () => context.send(text, null) } }, label);
}

/** A game to be played at once against the computer, however often its card is pressed meanwhile. */
function opponent(game, context) {
  return gameCard(game, () => context.play(`/play ${game.key} computer`));
}

function step(key, ...things) {
  return el("li", {}, el("p", {}, say(key)), el("div", { class: "row" }, things));
}

/** What to do first; the language of what is said to all is the manager's to change, where it is not their own. */
function steps({ games, spoken, manager, context }) {
  const called = (name, rest = "") => `/${context.called(name)}${rest}`;
  const rules = games.length > 0 ? called("rules", ` ${games[0].key}`) : called("rules");
  const mine = document.documentElement.lang;
  return el(
    "ol",
    { class: "steps" },
    el("li", {}, el("p", {}, say("intro.computer")), el("div", { class: "game-cards" }, games.map((game) => opponent(game, context)))),
    step("intro.play", el("button", { type: "button", class: "key", on: { click: () => context.newGame() } }, say("newgame.title"))),
    step("intro.learn", chip(called("learn"), context), chip(rules, context), chip(called("help"), context)),
    spoken === mine || !manager ? null : step("intro.language", chip(`/settings language:${mine} for:channel`, context)),
  );
}

/** Make the welcome for somebody who comes while others are talking; it stays until it is put away. */
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

/** Draw the welcome; before the first message it says everything, later it stands above the conversation in short. */
export function drawIntro(root, { empty, more, me, games, spoken, manager, context }) {
  const mine = document.documentElement.lang;
  const wanted = more || !me ? "" : `${empty} ${me.user} ${mine} ${games.length} ${spoken} ${manager}`;
  if (root.dataset.shows === wanted) return;
  root.dataset.shows = wanted;
  root.replaceChildren();
  if (!wanted) return;
  root.append(
    el("span", { class: "avatar bot big" }, botAvatar()),
    el("h2", {}, say("intro.title", { name: me.name })),
    el("p", {}, say("intro.about")),
  );
  if (empty) root.append(steps({ games, spoken, manager, context }));
}
