// Calls the reader when it is their turn: a soft sound and, if they want it, a notification.

import { readSetting, saveSetting } from "./settings.js";
import { el } from "./view.js";
import { say } from "./words.js";

const root = document.getElementById("calls");
// Each tone with its frequency in Hz and the second at which it begins: two soft ones, a third apart; and one, twice.
const CALL = [[523.25, 0], [659.25, 0.16]];
const WARNING = [[880, 0], [880, 0.22]];

export class Chime {
  #sound = readSetting("sound") !== "off";
  #notices = readSetting("notices") === "on";
  #audio = null;
  #tones = 0;

  constructor() {
    // Browsers allow sound only after the first interaction.
    const wake = () => {
      this.#audio ??= window.AudioContext ? new AudioContext() : null;
      this.#audio?.resume().then(() => this.#rest());
    };
    window.addEventListener("pointerdown", wake, { once: true });
    window.addEventListener("keydown", wake, { once: true });
  }

  /** Warn the reader that little time is left. */
  warn() {
    this.play(WARNING);
  }

  /** Play some tones, those of a call unless others are given. */
  play(tones = CALL) {
    const audio = this.#audio;
    if (!this.#sound || !audio) return;
    document.documentElement.dataset.sounded = String(Number(document.documentElement.dataset.sounded ?? 0) + 1);
    audio.resume();
    for (const [tone, after] of tones) {
      const begin = audio.currentTime + after;
      const voice = audio.createOscillator();
      const volume = audio.createGain();
      voice.type = "sine";
      voice.frequency.value = tone;
      volume.gain.setValueAtTime(0.0001, begin);
      volume.gain.exponentialRampToValueAtTime(0.09, begin + 0.03);
      volume.gain.exponentialRampToValueAtTime(0.0001, begin + 0.7);
      voice.connect(volume).connect(audio.destination);
      this.#tones += 1;
      voice.onended = () => {
        this.#tones -= 1;
        this.#rest();
      };
      voice.start(begin);
      voice.stop(begin + 0.75);
    }
  }

  /** Stop the audio system until the next tone: it computes silence all the time otherwise. */
  #rest() {
    if (this.#tones === 0) this.#audio.suspend();
  }

  /** Notify a reader who is looking elsewhere; pressing the notification opens the game. */
  notify(title, text, tag, onPress) {
    if (!this.#notices || !document.hidden || window.Notification?.permission !== "granted") return;
    const notice = new Notification(title, { body: text, tag, icon: "/static/icon-waiting.svg" });
    notice.onclick = () => {
      window.focus();
      onPress();
      notice.close();
    };
  }

  /** Make the switches for sound and notifications; all that there are show the same. */
  switches() {
    const flip = (key, isOn, change) => {
      const click = async () => {
        await change();
        for (const each of document.querySelectorAll(`[data-key="${key}"]`)) each.setAttribute("aria-checked", String(isOn()));
      };
      return el("button", { type: "button", class: "quiet flip", role: "switch", "aria-checked": String(isOn()), data: { key }, on: { click } }, say(key));
    };
    const sound = flip("calls.sound", () => this.#sound, () => {
      this.#sound = !this.#sound;
      saveSetting("sound", this.#sound ? "on" : "off");
      this.play();
    });
    const notices = flip("calls.notices", () => this.#notices, async () => {
      this.#notices = !this.#notices && (await Notification.requestPermission()) === "granted";
      saveSetting("notices", this.#notices ? "on" : "off");
    });
    return [sound, ...(window.Notification ? [notices] : [])];
  }

  draw() {
    root.replaceChildren(...this.switches());
  }
}
