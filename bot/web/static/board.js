// A picture whose cells can be pressed: by a finger, a mouse, or the arrow keys.

import { announceTable } from "./announce.js";
import { el, image } from "./view.js";
import { say } from "./words.js";

// How long a word about a cell stands, and for each of its letters, in milliseconds.
const WORD = 3000;
const LETTER = 50;

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Return the cell that lies nearest in a direction, or null; what lies aside counts double. */
function nearest(cells, from, [dx, dy]) {
  let best = null;
  let least = Infinity;
  for (const cell of cells) {
    const along = (cell.x - from.x) * dx + (cell.y - from.y) * dy;
    const aside = Math.abs((cell.x - from.x) * dy) + Math.abs((cell.y - from.y) * dx);
    if (cell !== from && along > 1 && aside <= along * 2 && along + aside * 2 < least) {
      best = cell;
      least = along + aside * 2;
    }
  }
  return best;
}

/** Say a word at the place of a cell that cannot be pressed now. */
function answer(figure, picture, [x, y], words) {
  figure.querySelector(".word")?.remove();
  const word = el("p", { class: "word" }, words);
  announceTable(words);
  word.style.top = `${(100 * y) / picture.height}%`;
  word.classList.toggle("left", x < picture.width / 3);
  word.classList.toggle("right", x > (2 * picture.width) / 3);
  word.classList.toggle("below", y < picture.height / 4);
  figure.append(word);
  setTimeout(() => word.remove(), WORD + words.length * LETTER);
}

/** Name a cell with what stands on it, where there are words for that. */
function named(name, { cells }) {
  return cells ? say("board.cell", { cell: name, what: cells[name] ?? say("board.empty") }) : name;
}

/** Make the picture with its alt text and, over it, one button for every cell that means something.
 *
 * `refuse` gives, perhaps later, the words for any other cell that is pressed, null where there is nothing to say.
 * Where the board is `explored`, keys reach those too if it is known what stands on them; they begin at the cell `at`.
 */
export function board(picture, presses, onPress, refuse, { explored = false, at = null } = {}) {
  const cells = Object.entries(picture.spots)
    .filter(([name]) => name in presses || (explored && picture.cells))
    .map(([name, [x, y, r]]) => ({ name, press: presses[name], x, y, r }))
    .sort((one, two) => one.y - two.y || one.x - two.x);
  const choices = cells.filter((cell) => cell.press !== undefined);
  const figure = el("figure", { class: "board" }, image(picture, { decoding: "sync" }));
  figure.style.setProperty("--ratio", String(picture.width / picture.height));
  figure.addEventListener("click", async (event) => {
    if (event.target.closest(".cell")) return;
    const spot = event.target.closest(".spot");
    const box = figure.getBoundingClientRect();
    const x = ((event.clientX - box.left) * picture.width) / box.width;
    const y = ((event.clientY - box.top) * picture.height) / box.height;
    const within = ([name, [left, top, r]]) => (spot ? name === spot.dataset.cell : Math.hypot(x - left, y - top) <= r);
    const hit = Object.entries(picture.spots).find(within);
    const words = hit && (await refuse(hit[0], choices.length > 0));
    if (words) answer(figure, picture, hit[1], words);
  });
  if (!cells.length) return figure;

  const percent = (part, whole) => `${((100 * part) / whole).toFixed(3)}%`;
  const layer = el("div", { class: "cells", role: "group", "aria-label": say("board.cells") });
  const enter = (cell) => {
    for (const other of cells) other.element.tabIndex = other === cell ? 0 : -1;
  };
  for (const cell of cells) {
    const free = cell.press !== undefined;
    const label = named(cell.name, picture);
    cell.element = el("button", {
      type: "button",
      class: free ? "cell" : "spot",
      "aria-label": label,
      "aria-disabled": free ? null : "true",
      title: label,
      data: { cell: cell.name, key: `cell:${cell.name}` },
    });
    cell.element.style.left = percent(cell.x - cell.r, picture.width);
    cell.element.style.top = percent(cell.y - cell.r, picture.height);
    cell.element.style.width = percent(2 * cell.r, picture.width);
    cell.element.style.height = percent(2 * cell.r, picture.height);
    if (free) cell.element.addEventListener("click", () => onPress(cell.press));
    cell.element.addEventListener("focus", () => enter(cell));
    layer.append(cell.element);
  }
  const usual = choices.length ? choices : cells;
  enter(usual.find((cell) => cell.name === at) ?? usual[0]);
  layer.addEventListener("keydown", (event) => {
    const from = cells.find((cell) => cell.element === event.target);
    let to = null;
    if (event.key in ARROWS) to = nearest(cells, from, ARROWS[event.key]);
    else if (event.key === "Home") to = usual[0];
    else if (event.key === "End") to = usual.at(-1);
    else if (event.key === "PageDown") to = usual.find((cell) => cells.indexOf(cell) > cells.indexOf(from)) ?? usual[0];
    else if (event.key === "PageUp") to = usual.findLast((cell) => cells.indexOf(cell) < cells.indexOf(from)) ?? usual.at(-1);
    else return;
    event.preventDefault();
    to?.element.focus();
  });
  figure.append(layer);
  return figure;
}
