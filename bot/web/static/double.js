// A double click is one press: what was pressed by its second half may be done already, or be something else by now.

// How soon the second half of a double click comes, in milliseconds; whoever goes on step by step is slower.
const SOON = 350;

let before = -Infinity;

/** Have buttons take a double click for one. */
export function takeDoubleClicksForOne() {
  const look = (event) => {
    const soon = event.timeStamp - before < SOON;
    before = event.timeStamp;
    // Fingers are slower than a mouse, and what they tap twice is busy meanwhile.
    if (event.detail < 2 || !soon || event.pointerType !== "mouse" || !event.target.closest("button")) return;
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener("click", look, { capture: true });
}
