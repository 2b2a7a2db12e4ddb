// A board picture whose cells can be pressed by touch, mouse or arrow keys.

import { announceTable } from "./announce.js";
import { cellsAround, showLoupe } from "./loupe.js";
import { el, image } from "./view.js";
import { say } from "./words.js";

// How long the note at a cell is shown: this, and for each of its letters.
const NOTE_MS = 3000;
const LETTER_MS = 50;
// How far from the middle of the cell that is meant a finger may land.
const FINGER_PIXELS = 14;

// What is drawn on each board, by its element.
const boards = new WeakMap();

// Where a finger landed, null if a mouse was the last to point: that is exact. The click that follows is moved by some
// browsers to what they think was meant.
let landed = null;
const land = ({ pointerType, clientX, clientY }) => (landed = pointerType === "touch" ? { clientX, clientY } : null);
document.addEventListener("pointerdown", land, { capture: true });

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
function showNote(figure, picture, { x, y }, words) {
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

/** Return where an event is on a board's picture, and how many of its pixels are one on the screen. */
function pointOn(figure, { clientX, clientY }) {
  const box = figure.getBoundingClientRect();
  const scale = boards.get(figure).picture.width / box.width;
  return { x: (clientX - box.left) * scale, y: (clientY - box.top) * scale, scale };
}

/** Return the cells of a board that an event may mean, the nearest first. */
export function cellsMeant(figure, event) {
  const { x, y, scale } = pointOn(figure, event);
  return cellsAround(boards.get(figure).cells, x, y, landed ? FINGER_PIXELS * scale : 0);
}

/** Make the picture with its alt text and a button over every cell that can be pressed.
 *
 * `refuse` returns (perhaps a promise of) the note for any other cell that is pressed, null for none.
 * If the board is `explored` and its cells are described, keys reach those too, beginning at the cell `at`.
 */
export function makeBoard(picture, presses, onPress, refuse, { explored = false, at = null } = {}) {
  const all = Object.entries(picture.spots)
    .map(([name, [x, y, r]]) => ({ name, press: presses[name], x, y, r, label: cellLabel(name, picture) }))
    .sort((one, two) => one.y - two.y || one.x - two.x);
  const cells = all.filter(({ press }) => press !== undefined || (explored && picture.cells));
  const choices = all.filter(({ press }) => press !== undefined);
  const figure = el("figure", { class: "board" }, image(picture, { decoding: "sync" }));
  figure.style.setProperty("--ratio", String(picture.width / picture.height));
  const choose = async (cell) => {
    if (!cell) return;
    if (cell.press !== undefined) return onPress(cell.press);
    const words = await refuse(cell.name, choices.length > 0);
    if (words) showNote(figure, picture, cell, words);
  };
  boards.set(figure, { cells: all, picture });
  figure.addEventListener("click", (event) => {
    if (event.target.closest("button:not(.cell, .spot)")) return;
    const button = event.target.closest(".cell, .spot");
    // Keys and scripts press a button, without a place.
    if (event.detail === 0) return choose(cells.find(({ element }) => element === button));
    const point = (event.isTrusted && landed) || event;
    const meant = cellsMeant(figure, point);
    if (meant.length > 1 && meant.some(({ press }) => press !== undefined)) showLoupe(figure, picture, meant, pointOn(figure, point), choose);
    else choose(meant[0]);
  });
  if (!cells.length) return figure;

  const percent = (part, whole) => `${((100 * part) / whole).toFixed(3)}%`;
  const layer = el("div", { class: "cells", role: "group", "aria-label": say("board.cells") });
  const enter = (cell) => {
    for (const other of cells) other.element.tabIndex = other === cell ? 0 : -1;
  };
  for (const cell of cells) {
    const free = cell.press !== undefined;
    cell.element = el("button", {
      type: "button",
      class: free ? "cell" : "spot",
      "aria-label": cell.label,
      "aria-disabled": free ? null : "true",
      title: cell.label,
      data: { cell: cell.name, key: `cell:${cell.name}` },
    });
    cell.element.style.left = percent(cell.x - cell.r, picture.width);
    cell.element.style.top = percent(cell.y - cell.r, picture.height);
    cell.element.style.width = percent(2 * cell.r, picture.width);
    cell.element.style.height = percent(2 * cell.r, picture.height);
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
