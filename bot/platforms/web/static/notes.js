// The place of private answers at the table: below the buttons if there is room, else over the bottom of the board.

const $ = (id) => document.getElementById(id);
const MARGIN_PIXELS = 4;

function updatePlacement() {
  const side = $("stage-side");
  const last = ["stage-rows", "stage-ask", "stage-words"].map($).find((each) => each.offsetHeight > 0);
  const from = last ? last.offsetTop + last.offsetHeight : side.offsetTop;
  const main = $("stage-main");
  const until = Math.min(side.offsetTop + side.offsetHeight, main.scrollTop + main.clientHeight) - MARGIN_PIXELS;
  $("stage-over").classList.toggle("below", $("stage-notes").scrollHeight <= until - from);
}

/** Place the notes again whenever the sizes change. */
export function watchPlacement() {
  const sizes = new ResizeObserver(updatePlacement);
  for (const id of ["stage-side", "stage-words", "stage-ask", "stage-rows", "stage-notes"]) sizes.observe($(id));
}
