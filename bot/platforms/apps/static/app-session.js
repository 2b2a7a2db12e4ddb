// The session of an app: the host's launch data is exchanged for a token, held in memory only, that authorises requests.

import { LiveStream, socketTo } from "./live.js";
import { ask, askWithRetries, FEW_ATTEMPTS, Refusal, server } from "./net.js";

const RENEW_BEFORE_SECONDS = 120;
// The code with which a stream is closed whose session has ended.
const FORBIDDEN_CLOSE_CODE = 4001;

/** The session of one app; `launch` returns the launch data and may be called several times. */
export class Session {
  #launch;
  #token = "";
  #timer = 0;
  #opening = null;
  #live = null;
  #game = null;
  #returning = false;
  /** The wish for another game that was fulfilled last. */
  #wish = "";

  constructor(launch) {
    this.#launch = launch;
    server.address = (path) => `.${path}`;
    server.headers = () => (this.#token ? { Authorization: `Bearer ${this.#token}` } : {});
  }

  /** Exchange the launch data, at most once at a time. Resolves with the person and the settings.
   *
   * With a `theme` the answer includes the board of the game to open.
   */
  begin(theme = undefined, tries = Infinity) {
    this.#opening ??= this.#begin(theme, tries).finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  /** Begin for the first time: the reader can try again. */
  open(theme) {
    return this.begin(theme, FEW_ATTEMPTS);
  }

  async #begin(theme, tries) {
    this.#token = "";
    const body = await this.#launch();
    const opened = await askWithRetries("/api/session", { ...body, theme }, { tries });
    this.#setToken(opened);
    return opened;
  }

  #setToken({ token, seconds }) {
    this.#token = token;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#renew(), Math.max(5, seconds - RENEW_BEFORE_SECONDS) * 1000);
  }

  async #renew() {
    const renewed = await askWithRetries("/api/renew", {}).catch(() => null);
    if (renewed && renewed.seconds > RENEW_BEFORE_SECONDS) this.#setToken(renewed);
    else await this.begin().catch(() => null);
  }

  /** Run a request, again with a new session if this one has ended. */
  async #withSession(asking) {
    try {
      return await asking();
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "session-over") throw error;
      await this.begin();
      return asking();
    }
  }

  look(path) {
    return this.#withSession(() => ask(path));
  }

  ask(path, body) {
    return this.#withSession(() => ask(path, body));
  }

  /** Send an action, with retries until there is an answer. */
  send(path, body, onRetry) {
    return this.#withSession(() => askWithRetries(path, body, { onRetry }));
  }

  /** Open the stream of changes. */
  listen(onNews, onState) {
    this.#live = new LiveStream({
      connect: socketTo(() => "./api/live", () => ({ token: this.#token, game: this.#game, returning: this.#returning })),
      poll: () => this.look(`/api/live${this.#game === null ? "" : `?game=${this.#game}`}`),
      onNews: ({ open = null, wished, ...news }) => {
        const wish = `${wished} ${open}`;
        const isNew = open !== null && wish !== this.#wish;
        if (isNew) this.#wish = wish;
        // A change to another game brings a token for it.
        if (isNew && news.token) this.#setToken(news);
        onNews({ ...news, open: isNew ? open : null });
      },
      onState: (state, code) => {
        this.#returning ||= state === "live";
        if (code === FORBIDDEN_CLOSE_CODE) this.begin().catch(() => null);
        onState(state, code);
      },
    });
  }

  /** Subscribe to a game, null for none. */
  watch(game) {
    this.#game = game;
    this.#live?.send({ game, token: this.#token });
  }
}
