// Splits the text of a card into title, question and rest, and finds the cells that a press means.

const MAX_TITLE_LENGTH = 100;

/** Split a text into its first line, as the title, and the rest; a first line that is too long is no title. */
export function splitTitle(spans) {
  let title = "";
  for (const [index, span] of spans.entries()) {
    const end = span.text.indexOf("\n");
    if (end < 0) title += span.text;
    else {
      const rest = [{ ...span, text: span.text.slice(end).trimStart() }, ...spans.slice(index + 1)];
      return { title: title + span.text.slice(0, end), rest };
    }
  }
  return title.length < MAX_TITLE_LENGTH ? { title, rest: [] } : { title: "", rest: spans };
}

/** Split a text into the pinned part, which stays visible, and the rest, both without empty lines at the seams. */
export function splitPinned(spans) {
  const pinned = [];
  const rest = [];
  let between = "";
  for (const [index, span] of spans.entries()) {
    const within = span.pinned || (pinned.length > 0 && !span.text.trim() && spans[index - 1].pinned && spans[index + 1]?.pinned);
    // Sentences that were on separate lines stay on separate lines.
    if (within && between.includes("\n") && pinned.length > 0) pinned.push({ text: "\n" });
    between = within ? "" : between + span.text;
    (within ? pinned : rest).push(span);
  }
  return { pinned: trimSpans(pinned), rest: pinned.length ? trimSpans(rest) : rest };
}

/** Split a text after its first line. */
export function splitFirstLine(spans) {
  const at = spans.findIndex(({ text }) => text.includes("\n"));
  if (at < 0) return [spans, []];
  const [line, ...rest] = spans[at].text.split("\n");
  return [[...spans.slice(0, at), { ...spans[at], text: line }], trimSpans([{ ...spans[at], text: rest.join("\n") }, ...spans.slice(at + 1)])];
}

/** Remove empty spans at both ends, and one of two adjacent line breaks. */
function trimSpans(spans) {
  const isBreak = (span) => span !== undefined && !span.text.trim();
  const found = spans.filter((span, index) => !(isBreak(span) && isBreak(spans[index + 1])));
  while (isBreak(found[0])) found.shift();
  while (isBreak(found.at(-1))) found.pop();
  return found;
}

export function toPlainText(spans) {
  return spans.map((span) => span.text).join("");
}

/** Return a check whether the cells of a card's picture offer a press too: by the cell itself or its column. */
export function makeCoverCheck({ picture, presses }) {
  const cells = picture ? Object.entries(presses).filter(([cell]) => cell in picture.spots) : [];
  return (press) => {
    const column = /[.:=]([a-z]+)$/.exec(press)?.[1];
    const inColumn = (cell, its) => column !== undefined && cell.replace(/\d+$/, "") === column && its.startsWith(`${press}.`);
    return cells.some(([cell, its]) => its === press || inColumn(cell, its));
  };
}

/** Return the last cell in a press or a typed move: where the piece stands now. */
export function lastCell(text) {
  return text.split(":").at(-1).match(/[a-z]{1,2}\d{1,2}/g)?.at(-1) ?? null;
}

/** Return a text for screen readers, without small print. */
export function toSpokenText(spans) {
  return toPlainText(spans.filter((span) => !span.small)).trim();
}

/** Whether a card only offers a lesson: it must not cover the board of a running game. */
export function onlyOffersLesson(card) {
  const presses = card.rows.flatMap((row) => (Array.isArray(row) ? row.map((button) => button.press) : ["menu"]));
  return presses.length > 0 && presses.every((press) => press?.startsWith("learn:") || press?.startsWith("learn="));
}
