// Dragging a piece: to pick it up presses its cell, to drop it presses the cell below the finger, once that can be pressed.

// How far a finger moves before it drags rather than taps, in pixels.
const FAR = 9;
// How long a board may take to show where a piece can go, in milliseconds.
const PATIENCE = 8000;
// How long the picture of those places may take after that, in milliseconds.
const DRAWING = 3000;

/** Have pieces of the board in an element be dragged.
 *
 * `isBusy` says whether a press is still on its way, `chosen` what has been chosen on the board as it is drawn.
 */
export function takeDrags(root, isBusy, chosen) {
  let drag = null;

  root.addEventListener("pointerdown", (event) => {
    const cell = event.target.closest(".cell");
    if (!cell || !event.isPrimary || event.button !== 0 || drag) return;
    drag = { cell: cell.dataset.cell, x: event.clientX, y: event.clientY, id: event.pointerId, image: null };
  });

  root.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    if (!drag.image) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < FAR) return;
      const cell = root.querySelector(`.cell[data-cell="${CSS.escape(drag.cell)}"]`);
      if (!cell) return end();
      root.setPointerCapture(event.pointerId);
      drag.image = pieceOf(root, cell);
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
    // The browser makes a click of it, which means nothing here.
    const swallow = (click) => click.isTrusted && (click.stopPropagation(), click.preventDefault());
    root.addEventListener("click", swallow, { capture: true });
    setTimeout(() => root.removeEventListener("click", swallow, { capture: true }), 0);
    const until = performance.now() + PATIENCE;
    while (isBusy() && performance.now() < until) await new Promise(requestAnimationFrame);
    const drawn = performance.now() + DRAWING;
    while (chosen() === before && performance.now() < drawn) await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    end();
    const target = document.elementFromPoint(event.clientX, event.clientY)?.closest(".cell");
    if (target && target.dataset.cell !== cell) target.click();
  });

  root.addEventListener("pointercancel", end);

  function end() {
    drag?.image?.remove();
    drag = null;
  }
}

/** Cut the piece on a cell out of the board's picture. */
function pieceOf(root, cell) {
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
