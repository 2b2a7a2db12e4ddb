// The parts of what is shown at the table: a title, what is asked, the rest; which cells a press means.

// A first line that is longer than this is no title.
const LONGEST_TITLE = 100;

/** The first line of a text as a title, and what comes after it. */
export function parted(spans) {
  let title = "";
  for (const [index, span] of spans.entries()) {
    const end = span.text.indexOf("\n");
    if (end < 0) title += span.text;
    else {
      const rest = [{ ...span, text: span.text.slice(end).trimStart() }, ...spans.slice(index + 1)];
      return { title: title + span.text.slice(0, end), rest };
    }
  }
  return title.length < LONGEST_TITLE ? { title, rest: [] } : { title: "", rest: spans };
}

/** Part a text into what stays in sight and the rest, each without the empty lines that the other leaves. */
export function apart(spans) {
  const pinned = [];
  const rest = [];
  let between = "";
  for (const [index, span] of spans.entries()) {
    const within = span.pinned || (pinned.length > 0 && !span.text.trim() && spans[index - 1].pinned && spans[index + 1]?.pinned);
    // What stood between two sentences is gone from there: they still begin lines of their own.
    if (within && between.includes("\n") && pinned.length > 0) pinned.push({ text: "\n" });
    between = within ? "" : between + span.text;
    (within ? pinned : rest).push(span);
  }
  return { pinned: trimmed(pinned), rest: pinned.length ? trimmed(rest) : rest };
}

/** Return spans without empty ones at their ends, and without one of two breaks that meet. */
function trimmed(spans) {
  const isBreak = (span) => span !== undefined && !span.text.trim();
  const found = spans.filter((span, index) => !(isBreak(span) && isBreak(spans[index + 1])));
  while (isBreak(found[0])) found.shift();
  while (isBreak(found.at(-1))) found.pop();
  return found;
}

export function plainly(spans) {
  return spans.map((span) => span.text).join("");
}

/** Tell which presses the cells of a card's picture give as well: a cell itself, or the column that it stands in. */
export function coveredBy({ picture, presses }) {
  const cells = picture ? Object.entries(presses).filter(([cell]) => cell in picture.spots) : [];
  return (press) => {
    const column = /[.:=]([a-z]+)$/.exec(press)?.[1];
    const inColumn = (cell, its) => column !== undefined && cell.replace(/\d+$/, "") === column && its.startsWith(`${press}.`);
    return cells.some(([cell, its]) => its === press || inColumn(cell, its));
  };
}

/** Return the cell that a press or a typed move names last: where what was moved stands now. */
export function lastCell(text) {
  return text.split(":").at(-1).match(/[a-z]{1,2}\d{1,2}/g)?.at(-1) ?? null;
}

/** A text as it is read out, without what is only for checking. */
export function readOut(spans) {
  return plainly(spans.filter((span) => !span.small)).trim();
}

/** Whether a card does nothing but offer a lesson: once the game goes on, it must not cover the board. */
export function offersLesson(card) {
  const presses = card.rows.flatMap((row) => (Array.isArray(row) ? row.map((button) => button.press) : ["menu"]));
  return presses.length > 0 && presses.every((press) => press?.startsWith("learn:") || press?.startsWith("learn="));
}
