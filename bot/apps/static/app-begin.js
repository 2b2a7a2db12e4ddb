// What runs first: it shows the launch to the server while the rest of the page is still on its way.

import { Session } from "./app-session.js";
import { screenTheme } from "./theme.js";

const { makeHost } = await import(`./app-${document.documentElement.dataset.platform}.js`);

/** The program in which the page is shown. */
export const host = await makeHost();

export const session = new Session(() => host.launch());

host.start();

/** What the server says of whoever has opened the page, with the board of their game. */
export const begun = session.begin(screenTheme());
// Whoever waits for it says what went wrong; they may begin to wait later.
begun.catch(() => {});
