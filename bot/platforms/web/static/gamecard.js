// The picture of a game, and the button with its name and description.

import { server } from "./net.js";
import { screenTheme } from "./theme.js";
import { el } from "./view.js";
import { say } from "./words.js";

/** Make the sample picture of a game, beside which its name stands. */
export function glimpse(key, name) {
  const src = server.address(`/glimpses/${key}-${screenTheme()}.webp`);
  return el("img", { src, alt: name, "aria-hidden": "true", width: 120, height: 120 });
}

/** Return for how many people a game is. */
function seatsText([least, most]) {
  return least === most ? say("lobby.players", { n: least }) : say("lobby.players.range", { least, most });
}

/** Make the button with a game's picture, name and description, and for how many it is. */
export function gameCard(game, onPress) {
  return el(
    "button",
    { type: "button", class: "game-card", data: { game: game.key, key: `game:${game.key}` }, on: { click: onPress } },
    glimpse(game.key, game.name),
    el("strong", {}, game.name),
    " ",
    el("span", {}, game.about, " ", el("span", { class: "seats" }, seatsText(game.seats))),
  );
}
