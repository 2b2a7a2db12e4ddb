// An animation of rolling dice beside the board.

import { el } from "./view.js";

const ROLL_MS = 700;
const REST_MS = 900;
const FACE_MS = 90;
const FACES = "\u2680\u2681\u2682\u2683\u2684\u2685";

/** Roll dice to the given values; with reduced motion the values are shown at once. */
export function rollDice(values) {
  document.querySelector(".dice")?.remove();
  const dice = values.map(() => el("span", { class: "die" }));
  const tray = el("div", { class: "dice", "aria-hidden": "true" }, dice);
  // Beside the board, not in it: the board is drawn again while they roll.
  document.getElementById("stage-main").append(tray);
  const show = (faces) => dice.forEach((die, at) => (die.textContent = FACES[faces[at] - 1]));
  const lie = () => {
    clearInterval(turning);
    tray.classList.add("lies");
    show(values);
    setTimeout(() => tray.remove(), REST_MS);
  };
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const any = () => values.map(() => 1 + Math.floor(Math.random() * 6));
  show(any());
  const turning = setInterval(() => show(any()), FACE_MS);
  setTimeout(lie, still ? 0 : ROLL_MS);
}
