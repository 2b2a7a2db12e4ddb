// A board picture whose cells can be pressed by touch, mouse or arrow keys.

import { announceTable } from "./announce.js";
import { el, image } from "./view.js";
import { say } from "./words.js";

// How long the note at a cell is shown: this, and for each of its letters.
const NOTE_MS = 3000;
const LETTER_MS = 50;

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Return the nearest cell in a direction, or null; a sideways distance counts double. */
function nearestCell(cells, from, [dx, dy]) {
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

/** Show a note at a cell that cannot be pressed now. */
function showNote(figure, picture, [x, y], words) {
  figure.querySelector(".word")?.remove();
  const word = el("p", { class: "word" }, words);
  announceTable(words);
  word.style.top = `${(100 * y) / picture.height}%`;
  word.classList.toggle("left", x < picture.width / 3);
  word.classList.toggle("right", x > (2 * picture.width) / 3);
  word.classList.toggle("below", y < picture.height / 4);
  figure.append(word);
  setTimeout(() => word.remove(), NOTE_MS + words.length * LETTER_MS);
}

/** Return the label of a cell, with what stands on it if the picture describes it, and whether choosing it captures. */
function cellLabel(name, { cells, captures = [] }) {
  const label = cells ? say("board.cell", { cell: name, what: cells[name] ?? say("board.empty") }) : name;
  return captures.includes(name) ? say("board.captures", { cell: label }) : label;
}

/** Make the picture with its alt text and a button over every cell that can be pressed.
 *
 * `refuse` returns (perhaps a promise of) the note for any other cell that is pressed, null for none.
 * If the board is `explored` and its cells are described, keys reach those too, beginning at the cell `at`.
 */
export function makeBoard(picture, presses, onPress, refuse, { explored = false, at = null } = {}) {
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
    if (words) showNote(figure, picture, hit[1], words);
  });
  if (!cells.length) return figure;

  const percent = (part, whole) => `${((100 * part) / whole).toFixed(3)}%`;
  const layer = el("div", { class: "cells", role: "group", "aria-label": say("board.cells") });
  const enter = (cell) => {
    for (const other of cells) other.element.tabIndex = other === cell ? 0 : -1;
  };
  for (const cell of cells) {
    const free = cell.press !== undefined;
    const label = cellLabel(cell.name, picture);
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
    if (event.key in ARROWS) to = nearestCell(cells, from, ARROWS[event.key]);
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
