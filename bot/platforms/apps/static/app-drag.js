// Dragging a piece: picking it up presses its cell, dropping it presses the cell below the finger.

import { cellsMeant } from "./board.js";

// A finger that moves less than this is tapping.
const MIN_DRAG_PIXELS = 9;
// Timeout for the answer to the first press.
const PRESS_TIMEOUT_MS = 8000;
// Timeout for drawing the targets after that.
const DRAW_TIMEOUT_MS = 3000;

/** Let the pieces of the board in an element be dragged.
 *
 * `isBusy` returns whether a press is in progress, `chosen` the choice made so far on the drawn board.
 */
export function enableDragging(root, isBusy, chosen) {
  let drag = null;

  root.addEventListener("pointerdown", (event) => {
    const cell = event.target.closest(".cell");
    if (!cell || !event.isPrimary || event.button !== 0 || drag) return;
    drag = { cell: cell.dataset.cell, x: event.clientX, y: event.clientY, id: event.pointerId, image: null };
  });

  root.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    if (!drag.image) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < MIN_DRAG_PIXELS) return;
      const cell = root.querySelector(`.cell[data-cell="${CSS.escape(drag.cell)}"]`);
      // Where a finger covers several pieces, the magnifier asks which.
      if (!cell || cellsMeant(cell.closest(".board"), { clientX: drag.x, clientY: drag.y }).length !== 1) return end();
      root.setPointerCapture(event.pointerId);
      drag.image = cutOutPiece(root, cell);
      document.body.append(drag.image);
      drag.before = chosen();
      cell.click();
    }
    drag.image.style.left = `${event.clientX}px`;
    drag.image.style.top = `${event.clientY}px`;
  });

  root.addEventListener("pointerup", async (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    const { image, cell, before } = drag;
    if (!image) return end();
    // The browser also sends a click, which is to be ignored.
    const swallow = (click) => click.isTrusted && (click.stopPropagation(), click.preventDefault());
    root.addEventListener("click", swallow, { capture: true });
    setTimeout(() => root.removeEventListener("click", swallow, { capture: true }), 0);
    const until = performance.now() + PRESS_TIMEOUT_MS;
    while (isBusy() && performance.now() < until) await new Promise(requestAnimationFrame);
    const drawn = performance.now() + DRAW_TIMEOUT_MS;
    while (chosen() === before && performance.now() < drawn) await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    end();
    const board = root.querySelector(".board");
    const { clientX, clientY } = event;
    if (!board || cellsMeant(board, event)[0]?.name === cell) return;
    board.dispatchEvent(new MouseEvent("click", { clientX, clientY, detail: 1, bubbles: true }));
  });

  root.addEventListener("pointercancel", end);

  function end() {
    drag?.image?.remove();
    drag = null;
  }
}

/** Cut the piece on a cell out of the board's picture. */
function cutOutPiece(root, cell) {
  const box = cell.getBoundingClientRect();
  const image = root.querySelector(".board img");
  const whole = image.getBoundingClientRect();
  const canvas = document.createElement("canvas");
  const scale = image.naturalWidth / whole.width;
  canvas.width = Math.max(1, Math.round(box.width * scale));
  canvas.height = Math.max(1, Math.round(box.height * scale));
  const from = [(box.left - whole.left) * scale, (box.top - whole.top) * scale];
  canvas.getContext("2d").drawImage(image, ...from, canvas.width, canvas.height, 0, 0, canvas.width, canvas.height);
  canvas.className = "dragged";
  canvas.style.width = `${box.width}px`;
  canvas.style.height = `${box.height}px`;
  canvas.setAttribute("aria-hidden", "true");
  return canvas;
}
