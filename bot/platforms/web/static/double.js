// The second of two quick presses at one place is ignored: the button may have become another one by then.

// Two presses within this time are one; Android waits 300 ms between two taps of a double one.
const DOUBLE_PRESS_MS = 400;
// A finger does not meet the same place twice.
const SAME_PLACE_PIXELS = 24;

/** Let everything that can be pressed ignore the second press of a double click, or of a double tap. */
export function mergeDoubleClicks() {
  let last = { time: -Infinity, x: 0, y: 0 };
  const look = (event) => {
    // Keys and scripts press once.
    if (event.detail === 0) return;
    const isNear = Math.hypot(event.clientX - last.x, event.clientY - last.y) < SAME_PLACE_PIXELS;
    const isSecond = isNear && event.timeStamp - last.time < DOUBLE_PRESS_MS;
    last = { time: event.timeStamp, x: event.clientX, y: event.clientY };
    // A mouse is exact: its browser counts.
    if (!isSecond || (event.pointerType === "mouse" && event.detail < 2)) return;
    if (event.target.closest("input, textarea, select, label, a")) return;
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener("click", look, { capture: true });
}

/** Return a function that ignores the second of two quick presses of a host's button. */
export function mergeDoublePresses(onPress) {
  let last = -Infinity;
  return () => {
    const now = new Event("press").timeStamp;
    const isSecond = now - last < DOUBLE_PRESS_MS;
    last = now;
    if (!isSecond) onPress();
  };
}
