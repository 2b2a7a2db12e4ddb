// What tells that it is one's turn when one looks elsewhere: a soft sound, and, for those who want it, a notification.

import { el } from "./view.js";
import { say } from "./words.js";

const root = document.getElementById("calls");

const kept = (key) => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};
const keep = (key, value) => {
  try {
    localStorage.setItem(key, value);
  } catch {
    // It holds for as long as the page is open.
  }
};

export class Chime {
  #sound = kept("sound") !== "off";
  #notices = kept("notices") === "on";
  #audio = null;

  constructor() {
    // Browsers let a page sound only after it has been touched.
    const wake = () => {
      this.#audio ??= window.AudioContext ? new AudioContext() : null;
    };
    window.addEventListener("pointerdown", wake, { once: true });
    window.addEventListener("keydown", wake, { once: true });
  }

  /** Two soft tones, a third apart, made here: there is no file. */
  play() {
    const audio = this.#audio;
    if (!this.#sound || !audio) return;
    document.documentElement.dataset.sounded = String(Number(document.documentElement.dataset.sounded ?? 0) + 1);
    audio.resume();
    for (const [tone, after] of [[523.25, 0], [659.25, 0.16]]) {
      const begin = audio.currentTime + after;
      const voice = audio.createOscillator();
      const volume = audio.createGain();
      voice.type = "sine";
      voice.frequency.value = tone;
      volume.gain.setValueAtTime(0.0001, begin);
      volume.gain.exponentialRampToValueAtTime(0.09, begin + 0.03);
      volume.gain.exponentialRampToValueAtTime(0.0001, begin + 0.7);
      voice.connect(volume).connect(audio.destination);
      voice.start(begin);
      voice.stop(begin + 0.75);
    }
  }

  /** Tell somebody who looks elsewhere; a press on it brings the game. */
  notify(title, text, tag, onPress) {
    if (!this.#notices || !document.hidden || window.Notification?.permission !== "granted") return;
    const notice = new Notification(title, { body: text, tag, icon: "/static/icon-waiting.svg" });
    notice.onclick = () => {
      window.focus();
      onPress();
      notice.close();
    };
  }

  draw() {
    const flip = (key, on, change) =>
      el("button", { type: "button", class: "quiet flip", role: "switch", "aria-checked": String(on), on: { click: change } }, say(key));
    const sound = flip("calls.sound", this.#sound, () => {
      this.#sound = !this.#sound;
      keep("sound", this.#sound ? "on" : "off");
      this.draw();
      this.play();
    });
    const notices = flip("calls.notices", this.#notices, async () => {
      const wanted = !this.#notices && window.Notification ? (await Notification.requestPermission()) === "granted" : false;
      this.#notices = wanted;
      keep("notices", wanted ? "on" : "off");
      this.draw();
    });
    const focused = [...root.children].indexOf(document.activeElement);
    root.replaceChildren(sound, ...(window.Notification ? [notices] : []));
    root.children[focused]?.focus();
  }
}
