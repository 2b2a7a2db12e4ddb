// The second click of a double click is ignored: the button may have become another one by then.

// Two presses within this time are a double click.
const DOUBLE_CLICK_MS = 350;

let lastClickAt = -Infinity;

/** Let buttons ignore the second click of a double click. */
export function mergeDoubleClicks() {
  const look = (event) => {
    const isDouble = event.timeStamp - lastClickAt < DOUBLE_CLICK_MS;
    lastClickAt = event.timeStamp;
    // Only mice: taps are slower, and a tapped button is busy by then.
    if (event.detail < 2 || !isDouble || event.pointerType !== "mouse" || !event.target.closest("button")) return;
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener("click", look, { capture: true });
}
