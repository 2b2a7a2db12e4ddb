// Runs first: it opens the session while the rest of the page is still loading.

import { Session } from "./app-session.js";
import { screenTheme } from "./theme.js";

const { makeHost } = await import(`./app-${document.documentElement.dataset.platform}.js`);

/** The program that shows the page. */
export const host = await makeHost();

export const session = new Session(() => host.launch());

host.start();

/** Resolves with the session: the person, and the board of their game. */
export const opening = session.open(screenTheme());
// app.js shows the error; it may begin to wait only after the failure.
opening.catch(() => {});
