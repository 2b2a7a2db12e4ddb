// Who somebody is here: a launch exchanged for a token that is kept in memory alone, and whatever is asked with it.

import { ask, insist, Live, Refusal, server } from "./net.js";

// How long before its end a token is exchanged for a new one, in seconds.
const EARLY = 120;

/** The session of one app; `launch` gives what the server is shown, again and again. */
export class Session {
  #launch;
  #token = "";
  #timer = 0;
  #beginning = null;
  #live = null;
  #game = null;
  #returning = false;
  live = false;

  constructor(launch) {
    this.#launch = launch;
    server.address = (path) => `.${path}`;
    server.headers = () => (this.#token ? { Authorization: `Bearer ${this.#token}` } : {});
  }

  /** Exchange the launch; at most once at a time. Resolves with what the server says of the person.
   *
   * With a `theme` the board of the game that is opened comes along.
   */
  begin(theme = undefined) {
    this.#beginning ??= this.#begin(theme).finally(() => {
      this.#beginning = null;
    });
    return this.#beginning;
  }

  async #begin(theme) {
    this.#token = "";
    const body = await this.#launch();
    const told = await insist("/api/session", { ...body, theme });
    this.#keep(told);
    return told;
  }

  #keep({ token, seconds }) {
    this.#token = token;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#renew(), Math.max(5, seconds - EARLY) * 1000);
  }

  async #renew() {
    const renewed = await insist("/api/renew", {}).catch(() => null);
    if (renewed && renewed.seconds > EARLY) this.#keep(renewed);
    else await this.begin().catch(() => null);
  }

  /** Ask, with a new session where this one has ended. */
  async #with(asking) {
    try {
      return await asking();
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "session-over") throw error;
      await this.begin();
      return asking();
    }
  }

  look(path) {
    return this.#with(() => ask(path));
  }

  ask(path, body) {
    return this.#with(() => ask(path, body));
  }

  /** Send what somebody did until there is an answer. */
  send(path, body, onTrouble) {
    return this.#with(() => insist(path, body, { onTrouble }));
  }

  /** Hear what moves on. */
  listen(onNews, onState) {
    this.#live = new Live({
      url: () => "./api/live",
      hello: () => ({ token: this.#token, game: this.#game, returning: this.#returning }),
      onNews: (news) => {
        // With another game to be shown comes a token that lets it be looked at.
        if (news.token) this.#keep(news);
        onNews(news);
      },
      onState: (connected, code) => {
        const changed = this.live !== connected;
        this.live = connected;
        this.#returning ||= connected;
        if (!connected && code === 4001) this.begin().catch(() => null);
        if (changed) onState(connected);
      },
    });
  }

  /** From now on, hear of this game. */
  watch(game) {
    this.#game = game;
    this.#live?.send({ game, token: this.#token });
  }
}
