// Discord's client, by its Embedded App SDK: who opened the Activity, where, and how much room it has.

import { DiscordSDK } from "./discord-sdk.js";
import { ask, Refusal } from "./net.js";
import { useWords } from "./words.js";

// What the client says of the room that there is (page Embedded App SDK Reference, ACTIVITY_LAYOUT_MODE_UPDATE).
const FOCUSED = 0;

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
        useWords(about.language, about.words);
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
    /** The session has begun: Discord is told, too, and from then on says what changes. */
    async begun({ access }) {
      try {
        await sdk.commands.authenticate({ access_token: access });
        await sdk.subscribe("ACTIVITY_LAYOUT_MODE_UPDATE", ({ layout_mode: mode }) => onLayout(mode === FOCUSED ? "" : "small"));
      } catch {
        // Without it the page is played all the same.
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
