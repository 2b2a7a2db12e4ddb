// Several people at one screen: whoever is to move takes the board by one press.

import { el } from "./view.js";
import { say } from "./words.js";

/** Make what lies over a board that waits for another name of this browser; null where it waits for somebody else. */
export function seatHere(table, context) {
  if (table.status !== "playing" || table.seated === null || table.seated === context.me()?.person) return null;
  const name = context.names().find((each) => each.person === table.seated);
  if (!name) return null;
  const sit = () => context.sit(name, table.code);
  const words = el("span", {}, say("board.sit", { name: name.name }));
  return el("button", { type: "button", class: "seat-here", data: { key: "sit" }, on: { click: sit } }, words);
}
