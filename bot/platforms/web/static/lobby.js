// The lobby: the games, the reader's own, today's puzzle, challenges, games to watch, the leaderboard; and the bar.

import { gameCard, glimpse } from "./gamecard.js";
import { screenTheme } from "./theme.js";
import { avatar, botAvatar, el, holdsFocus, icon, replaceIfChanged } from "./view.js";
import { language, say } from "./words.js";

const $ = (id) => document.getElementById(id);
const MAX_LISTED = 6;
// The icons of the server's menu, in its order; the first two do what the page itself does.
const MENU_ICONS = ["play", "games", "learn", "puzzle", "cup", "leaders", "person", "settings", "help"];

/** Replace what an element holds if it looks different; who was on one of its buttons stays there. */
function fill(root, elements) {
  const key = holdsFocus(root) ? document.activeElement.dataset.key : undefined;
  replaceIfChanged(root, elements.filter(Boolean));
  if (key !== undefined && !holdsFocus(root)) root.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

function section(id, title, ...content) {
  return [el("h3", { id: `${id}-title`, tabindex: "-1" }, title), ...content];
}

export class Lobby {
  #context;
  #puzzle = null;
  #leaders = [];

  constructor(context) {
    this.#context = context;
    for (const query of ["(prefers-color-scheme: dark)", "(min-width: 821px)"]) {
      matchMedia(query).addEventListener("change", () => this.draw());
    }
  }

  /** Take what is shown beside the games. */
  update({ puzzle, leaders }) {
    this.#puzzle = puzzle;
    this.#leaders = leaders;
    this.draw();
  }

  /** Draw what is seen: while a table lies over the lobby, no small board is asked for. */
  draw() {
    const context = this.#context;
    this.drawCount();
    if (!$("lobby").checkVisibility()) return;
    $("lobby").setAttribute("aria-label", say("lobby.title"));
    fill($("lobby-welcome"), this.#welcome());
    fill($("lobby-mine"), context.me() ? this.#mine() : []);
    fill($("lobby-play"), this.#play());
    fill($("lobby-puzzle"), this.#daily());
    const theirs = context.tables().filter((game) => game.mine === false);
    fill($("lobby-challenges"), this.#challenges(theirs.filter((game) => game.status === "lobby" && game.free && !game.waits)));
    fill($("lobby-watch"), this.#watch(theirs.filter((game) => game.status === "playing")));
    fill($("lobby-leaders"), this.#ranks());
    for (const each of $("lobby").querySelectorAll("section")) {
      each.hidden = !each.hasChildNodes();
      const title = each.querySelector("h2, h3");
      if (title) each.setAttribute("aria-labelledby", title.id);
      else each.removeAttribute("aria-labelledby");
    }
    $("lobby-mine").classList.toggle("empty", !$("lobby-mine").querySelector(".tile"));
  }

  /** Show at the bar how many games wait for the reader. */
  drawCount() {
    const n = this.#context.waitingCount();
    const count = $("bar-count");
    if (!count) return;
    count.textContent = n ? String(n) : "";
    count.hidden = n === 0;
    count.title = n ? say("waiting.tab", { n }) : "";
  }

  /** Show the reader's own games. */
  showMine() {
    $("lobby-mine-title")?.scrollIntoView({ block: "start" });
    $("lobby-mine-title")?.focus({ preventScroll: true });
  }

  #welcome() {
    const context = this.#context;
    const me = context.me();
    if (me) {
      const mine = document.documentElement.lang;
      const room = context.offersRoomLanguage()
        ? el("p", { class: "row" }, el("span", {}, say("intro.language")), this.#command(`/settings language:${mine} for:channel`))
        : null;
      return [el("h2", { id: "lobby-title" }, say("intro.title", { name: me.name })), room];
    }
    const come = el("button", { type: "button", id: "come-in", class: "key", data: { key: "come-in" }, on: { click: () => context.needName() } }, say("names.enter"));
    return [
      el("span", { class: "avatar bot" }, botAvatar()),
      el("div", {}, el("h2", { id: "lobby-title" }, say("names.welcome")), el("p", {}, say("names.about"))),
      come,
    ];
  }

  #command(text) {
    return el("button", { type: "button", class: "key chip", data: { key: text }, on: { click: () => this.#context.send(text, null) } }, text);
  }

  /** Make the picture of a game: small as it stands, or a sample. */
  #picture(game) {
    const me = this.#context.me();
    const sample = glimpse(game.game, game.title);
    if (!me || game.status === "lobby") return sample;
    const query = new URLSearchParams({ as: me.user, language, theme: screenTheme(), revision: game.revision });
    const image = el("img", { src: `/small/${game.code}.webp?${query}`, alt: game.title, "aria-hidden": "true", width: 120, height: 120 });
    image.addEventListener("error", () => image.replaceWith(sample), { once: true });
    return image;
  }

  #tile(game, names, state, { kind = "", open = () => this.#context.openGame(game) } = {}) {
    return el(
      "li",
      {},
      el(
        "button",
        { type: "button", class: `tile ${kind}`, data: { key: `tile:${game.message}`, code: game.code ?? "" }, on: { click: open } },
        game.code ? this.#picture(game) : icon("talk"),
        el("strong", {}, game.title),
        names.length ? el("span", { class: "with" }, names.join(" – ")) : null,
        el("span", { class: "state" }, state),
      ),
    );
  }

  #mine() {
    const { waiting, going } = this.#context.myGames();
    const tiles = [
      ...waiting.map(([game, why]) => this.#tile(game, game.others, why, { kind: "waits" })),
      ...going.map((game) => this.#tile(game, game.others, say(game.status === "lobby" ? "table.lobby" : game.mover ? "table.moves" : "app.theirs", { name: game.mover }))),
    ];
    return section("lobby-mine", say("lobby.mine"), tiles.length ? el("ul", { class: "tiles" }, tiles) : el("p", { class: "hint" }, say("lobby.mine.none")));
  }

  #play() {
    const context = this.#context;
    const cards = context.games().map((game) => gameCard(game, () => context.play(`/play ${game.key} computer`)));
    const others = el("button", { type: "button", class: "key", data: { key: "others" }, on: { click: () => context.newGame() } }, say("lobby.others"));
    return section("lobby-play", say("lobby.play"), el("div", { class: "game-cards" }, cards), el("div", { class: "row" }, others));
  }

  #daily() {
    if (!this.#puzzle) return [];
    const { day, date, title, goal } = this.#puzzle;
    const solve = () => {
      this.#context.expectPrivateAnswer();
      this.#context.send("/puzzle", null);
    };
    const card = el(
      "button",
      { type: "button", class: "tile puzzle", data: { key: "puzzle" }, on: { click: solve } },
      el("img", { src: `/puzzles/${day}-${screenTheme()}.webp`, alt: title, "aria-hidden": "true", width: 120, height: 120 }),
      el("strong", {}, title),
      el("span", { class: "with" }, goal),
      el("span", { class: "state" }, say("lobby.solve")),
    );
    return section("lobby-puzzle", say("newgame.puzzle"), el("p", { class: "hint" }, date), card);
  }

  #challenges(games) {
    if (!games.length) return [];
    const context = this.#context;
    const tiles = games.slice(-MAX_LISTED).reverse().map((game) =>
      this.#tile(game, game.names, say("lobby.join"), { open: () => context.send(`/join ${game.code}`, null) }));
    return section("lobby-challenges", say("lobby.challenges"), el("ul", { class: "tiles lines" }, tiles));
  }

  #watch(games) {
    if (!games.length) return [];
    const context = this.#context;
    const tiles = games.slice(-MAX_LISTED).reverse().map((game) =>
      this.#tile(game, game.names, say("app.watch"), { open: async () => (await context.needName()) && context.openGame(game) }));
    return section("lobby-watch", say("lobby.watch"), el("ul", { class: "tiles" }, tiles));
  }

  #ranks() {
    const context = this.#context;
    if (!this.#leaders.length) return [];
    const lines = this.#leaders.map(({ place, person, name, points, results: [n] }) =>
      el(
        "li",
        {},
        el("span", { class: "place" }, String(place)),
        avatar(name, context.toneOf(person)),
        el("span", { class: "name" }, name),
        el("span", { class: "state" }, points === null ? say("lobby.wins", { n }) : say("lobby.points", { points })),
      ),
    );
    const whole = el("button", { type: "button", class: "quiet", data: { key: "leaders" }, on: { click: () => context.pressMenu("leaders") } }, say("lobby.leaders.all"));
    return section("lobby-leaders", say("lobby.leaders"), el("ol", { class: "ranks" }, lines), whole);
  }

  /** Draw the bar: what the server's menu offers, with icons. */
  drawBar(menu) {
    const context = this.#context;
    $("bar").setAttribute("aria-label", say("bar.title"));
    const items = menu.map(([label, press], at) => [MENU_ICONS[at] ?? "open", label, press]);
    const [play, mine, ...rest] = items;
    const item = ([sign, label, press], more) =>
      el("button", { type: "button", class: `item${more ? " more" : ""}`, data: { key: press }, on: { click: () => context.pressMenu(press) } }, icon(sign), el("span", {}, label));
    $("new-game").replaceChildren(icon(play[0]), el("span", {}, play[1]));
    $("my-games").replaceChildren(icon(mine[0]), el("span", {}, mine[1]), el("span", { id: "bar-count", class: "count", hidden: true }));
    $("menu").replaceChildren(icon("menu"), el("span", {}, say("menu.open")));
    fill($("bar-items"), rest.map((each, at) => item(each, at > 1)));
    this.drawCount();
  }
}
