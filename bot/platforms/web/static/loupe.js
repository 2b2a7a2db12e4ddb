// What a finger means on a board: where it covers several small cells, a magnifier asks which.

import { el } from "./view.js";
import { say } from "./words.js";

// A cell under the magnifier is at least as wide as a finger needs.
const CELL_PIXELS = 44;
const MARGIN_PIXELS = 8;

/** Return the distance of a point from the middle of a cell. */
const distance = (cell, x, y) => Math.hypot(cell.x - x, cell.y - y);

/** Return the cells that are meant at a point of the picture by what may land so far from a cell's middle, the nearest first.
 *
 * What cannot be chosen is meant only where it lies below the point.
 */
export function cellsAround(cells, x, y, inaccuracy) {
  const reach = (cell) => (cell.press === undefined ? cell.r : Math.max(cell.r, inaccuracy));
  const near = cells.filter((cell) => distance(cell, x, y) <= reach(cell));
  return near.sort((one, two) => distance(one, x, y) - distance(two, x, y));
}

/** Show the cells around a point of a board's picture larger, with those that may be meant to be pressed there. */
export function showLoupe(figure, picture, cells, { x, y }, onCell) {
  const box = figure.getBoundingClientRect();
  const scale = box.width / picture.width;
  const zoom = Math.max(1.5, ...cells.map((cell) => CELL_PIXELS / (2 * cell.r * scale)));
  const radius = Math.max(...cells.map((cell) => (distance(cell, x, y) + cell.r) * scale * zoom)) + MARGIN_PIXELS;
  const side = Math.min(2 * Math.max(radius, CELL_PIXELS + MARGIN_PIXELS), window.innerWidth, window.innerHeight);
  // The point lies where the finger was, as far as the window has room.
  const within = (middle, room) => Math.max(side / 2, Math.min(middle, room - side / 2));
  const loupe = el("div", { class: "loupe", popover: "auto", role: "group", "aria-label": say("board.loupe") });
  Object.assign(loupe.style, { width: `${side}px`, height: `${side}px` });
  loupe.style.left = `${within(box.left + x * scale, window.innerWidth) - side / 2}px`;
  loupe.style.top = `${within(box.top + y * scale, window.innerHeight) - side / 2}px`;
  const inside = (value, origin) => (value - origin) * scale * zoom + side / 2;
  const shown = figure.querySelector("img");
  const glass = el("img", { src: shown.currentSrc, alt: "", draggable: "false" });
  glass.style.width = `${box.width * zoom}px`;
  glass.style.left = `${inside(0, x)}px`;
  glass.style.top = `${inside(0, y)}px`;
  loupe.append(glass);
  for (const cell of cells) {
    const button = el("button", {
      type: "button",
      class: cell.press === undefined ? "spot" : "cell",
      "aria-label": cell.label,
      data: { cell: cell.name },
      on: {
        click: () => {
          loupe.hidePopover();
          // Another board may have been drawn meanwhile.
          if (figure.isConnected) onCell(cell);
        },
      },
    });
    Object.assign(button.style, {
      left: `${inside(cell.x - cell.r, x)}px`,
      top: `${inside(cell.y - cell.r, y)}px`,
      width: `${2 * cell.r * scale * zoom}px`,
      height: `${2 * cell.r * scale * zoom}px`,
    });
    loupe.append(button);
  }
  loupe.addEventListener("toggle", ({ newState }) => newState === "closed" && loupe.remove());
  document.body.append(loupe);
  loupe.showPopover();
}
