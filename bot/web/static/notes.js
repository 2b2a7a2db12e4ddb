// Where what somebody has just asked for stands: below the buttons if it has room there, else over the board's foot.

const $ = (id) => document.getElementById(id);
// What stays free at the edge of the window, in pixels.
const MARGIN = 4;

function place() {
  const side = $("stage-side");
  const last = ["stage-rows", "stage-ask", "stage-words"].map($).find((each) => each.offsetHeight > 0);
  const from = last ? last.offsetTop + last.offsetHeight : side.offsetTop;
  const until = side.offsetTop + side.offsetHeight - MARGIN;
  $("stage-over").classList.toggle("below", $("stage-notes").scrollHeight <= until - from);
}

/** Have the notes cover nothing where they can, however large the window becomes and whatever is said. */
export function placeNotes() {
  const sizes = new ResizeObserver(place);
  for (const id of ["stage-side", "stage-words", "stage-ask", "stage-rows", "stage-notes"]) sizes.observe($(id));
}
