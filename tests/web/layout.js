// What is cut, covered or outside of the window at the table as it stands, and how large its board is.
() => {
  const stage = document.getElementById("stage");
  const main = document.getElementById("stage-main");
  const frame = stage.getBoundingClientRect();
  const shown = (element) => element.checkVisibility() && element.getClientRects().length > 0;
  const named = (element) => `${element.id || element.className} “${element.textContent.trim().slice(0, 40)}”`;
  const inside = (box) =>
    box.left >= frame.left - 1 && box.right <= frame.right + 1 && box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1 &&
    box.bottom <= innerHeight + 1 && box.right <= innerWidth + 1;
  const onTop = (element, x, y) => {
    const found = document.elementFromPoint(x, y);
    return element.contains(found) || found?.contains(element);
  };
  const lines = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return [...range.getClientRects()].filter((box) => box.width > 1 && box.height > 1);
  };
  const faults = [];
  const ask = document.getElementById("stage-ask");
  const asks = [...document.querySelectorAll("#stage-ask .words")].filter(shown);
  if (!asks.length) faults.push("nothing is asked");
  for (const box of asks.flatMap(lines)) {
    if (!inside(box)) faults.push(`the question is outside: ${JSON.stringify(box)}`);
    else if (!onTop(ask, box.left + box.width / 2, box.top + box.height / 2)) faults.push("the question is covered");
  }
  const buttons = [...stage.querySelectorAll("button, summary")].filter(shown).filter((each) => !each.closest(".cells, #stage-words, #turns"));
  for (const button of buttons) {
    const box = button.getBoundingClientRect();
    if (!inside(box)) faults.push(`outside: ${named(button)}`);
    else if (!onTop(button, box.left + box.width / 2, box.top + box.height / 2)) faults.push(`covered: ${named(button)}`);
    if (button.scrollWidth > button.clientWidth + 1) faults.push(`cut: ${named(button)}`);
  }
  const rows = document.getElementById("stage-rows");
  const first = [...rows.querySelectorAll("button")].find(shown);
  if (first && first.getBoundingClientRect().left > rows.getBoundingClientRect().left + 2) faults.push(`indented: ${named(first)}`);
  const words = document.getElementById("stage-words");
  const overflows = words.scrollHeight > words.clientHeight + 1;
  if (overflows && (getComputedStyle(words).overflowY !== "auto" || words.clientHeight + 1 < 2 * parseFloat(getComputedStyle(words).lineHeight))) {
    faults.push(`words cannot be read: ${words.clientHeight} of ${words.scrollHeight}`);
  }
  if (main.scrollHeight > main.clientHeight + 1) faults.push(`too high: ${main.scrollHeight} in ${main.clientHeight}`);
  if (document.documentElement.scrollWidth > innerWidth) faults.push("sideways");
  const board = stage.querySelector(".board");
  const picture = board.querySelector("img");
  const box = board.getBoundingClientRect();
  if (!inside(box)) faults.push(`the board is outside: ${JSON.stringify(box)}`);
  // What it could be alone below the title, or beside it where the window is wide.
  const style = getComputedStyle(main);
  const across = main.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const head = document.getElementById("stage-head").getBoundingClientRect();
  const beside = head.left > box.left + box.width / 2;
  const down = frame.height - (beside ? 0 : head.height);
  const ratio = picture.getAttribute("width") / picture.getAttribute("height");
  const share = box.width / Math.min(across, down * ratio);
  const least = Number(getComputedStyle(stage).getPropertyValue("--board-share"));
  if (!(share >= least)) faults.push(`the board has ${share.toFixed(2)} of what it could have, the least is ${least}`);
  return { faults, share: Math.round(100 * share) / 100, board: Math.round(box.width), words: [words.clientHeight, words.scrollHeight] };
};
