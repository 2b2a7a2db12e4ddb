// Panels of a sheet: people with faces, games with small boards, figures; loaded with the first sheet that has any.

import { screenTheme } from "./theme.js";
import { avatar, el, image } from "./view.js";
import { language } from "./words.js";

const STYLES = "/static/panels.css";

if (!document.querySelector(`link[href="${STYLES}"]`)) document.head.append(el("link", { rel: "stylesheet", href: STYLES }));

/** Make the small board of a game, or a sample of its kind where the reader may not see it. */
function board({ code, game, revision }, context) {
  const properties = { alt: "", width: 96, height: 96, loading: "lazy" };
  const sample = `/glimpses/${game}-${screenTheme()}.webp`;
  const query = new URLSearchParams({ as: context.me().user, language, theme: screenTheme(), revision });
  const shown = image({ url: `/small/${code}.webp?${query}`, ...properties }, { loading: "lazy" });
  shown.addEventListener("error", () => { shown.src = sample; }, { once: true });
  return shown;
}

function tile(shown, message, context) {
  const { label, note, lead, press, person, code } = shown;
  const face = person === null ? null : avatar(label, context.toneOf(person));
  const parts = [
    code ? board(shown, context) : face,
    lead ? el("span", { class: "lead" }, lead) : null,
    el("strong", {}, label),
    note ? el("span", { class: "note" }, note) : null,
  ];
  const kind = code ? "game" : person === null ? "figure" : "face";
  if (!press) return el("li", {}, el("div", { class: `panel-tile ${kind}` }, parts));
  const open = () => (code ? context.openGame(shown) : context.press(message, press));
  return el("li", {}, el("button", { type: "button", class: `panel-tile ${kind}`, data: { key: `press:${press}` }, on: { click: open } }, parts));
}

/** Draw the panels of a message into an element. */
export function drawPanels(root, message, context) {
  root.replaceChildren(
    ...message.card.panels.map(({ title, tiles }) =>
      el("section", { class: "panel", "aria-label": title }, el("h2", {}, title), el("ul", {}, tiles.map((each) => tile(each, message, context))))),
  );
}
