// Several people at one screen: a button over the board switches to the person to move.

import { el } from "./view.js";
import { say } from "./words.js";

/** Make the button over a board that waits for another name of this browser; null if it does not. */
export function makeSeatButton(table, context) {
  if (table.status !== "playing" || table.seated === null || table.seated === context.me()?.person) return null;
  const name = context.names().find((each) => each.person === table.seated);
  if (!name) return null;
  const sit = () => context.switchTo(name, table.code);
  const words = el("span", {}, say("board.sit", { name: name.name }));
  return el("button", { type: "button", class: "seat-here", data: { key: "sit" }, on: { click: sit } }, words);
}
