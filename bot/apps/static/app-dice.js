// Dice that roll over the board before they lie as they fell.

import { el } from "./view.js";

// How long they roll, and how long they lie, in milliseconds; how often they show another face.
const ROLLS = 700;
const LIES = 900;
const TURNS = 90;
const FACES = "\u2680\u2681\u2682\u2683\u2684\u2685";

/** Roll dice that have fallen as some numbers; who wants no motion sees them lie at once. */
export function rollDice(values) {
  document.querySelector(".dice")?.remove();
  const dice = values.map(() => el("span", { class: "die" }));
  const tray = el("div", { class: "dice", "aria-hidden": "true" }, dice);
  // Beside the board, not in it: that is drawn anew while they roll.
  document.getElementById("stage-main").append(tray);
  const show = (faces) => dice.forEach((die, at) => (die.textContent = FACES[faces[at] - 1]));
  const lie = () => {
    clearInterval(turning);
    tray.classList.add("lies");
    show(values);
    setTimeout(() => tray.remove(), LIES);
  };
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const any = () => values.map(() => 1 + Math.floor(Math.random() * 6));
  show(any());
  const turning = setInterval(() => show(any()), TURNS);
  setTimeout(lie, still ? 0 : ROLLS);
}
