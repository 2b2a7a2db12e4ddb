// Discord's client through its Embedded App SDK: who opened the Activity, where, and its layout.

import { DiscordSDK } from "./discord-sdk.js";
import { ask, Refusal } from "./net.js";
import { setLanguage } from "./words.js";

// Embedded App SDK Reference, ACTIVITY_LAYOUT_MODE_UPDATE.
const FOCUSED_LAYOUT = 0;

/** The host of an Activity. */
export function makeHost() {
  let sdk = null;
  let application = "";
  let onLayout = () => {};
  return {
    name: "Discord",
    async launch() {
      if (sdk === null) {
        const about = await ask(`/api/about?language=${encodeURIComponent(navigator.language)}`);
        setLanguage(about.language, about.words);
        application = about.application;
        sdk = new DiscordSDK(application, { disableConsoleLogOverride: true });
        await sdk.ready();
      }
      const asked = { client_id: application, response_type: "code", state: "", prompt: "none", scope: ["identify"] };
      const { code } = await sdk.commands.authorize(asked).catch(() => {
        throw new Refusal({ code: "launch-refused" });
      });
      return { code, instance: sdk.instanceId };
    },
    start() {},
    /** Authenticate with Discord once the session is open, to receive its events. */
    async sessionOpened({ access }) {
      try {
        await sdk.commands.authenticate({ access_token: access });
        await sdk.subscribe("ACTIVITY_LAYOUT_MODE_UPDATE", ({ layout_mode: mode }) => onLayout(mode === FOCUSED_LAYOUT ? "" : "small"));
      } catch {
        // The page works without these events.
      }
    },
    ready() {},
    onBack() {},
    showBack() {},
    onMain() {},
    showMain() {},
    haptic() {},
    hasBack: false,
    onLayout(listener) {
      onLayout = listener;
    },
  };
}
