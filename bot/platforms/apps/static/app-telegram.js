// Telegram's client: its events (https://core.telegram.org/api/web-events), without Telegram's own script.
// A page in a frame uses postMessage, one in a native program the proxy that the program injects.

import { adoptColours } from "./app-colours.js";

const parameters = new URLSearchParams(location.hash.slice(1));
const listeners = new Map();

function post(type, data = {}) {
  const text = JSON.stringify(data);
  if (window.TelegramWebviewProxy) window.TelegramWebviewProxy.postEvent(type, text);
  else if (window.external && "notify" in window.external) window.external.notify(JSON.stringify({ eventType: type, eventData: data }));
  else if (window.parent !== window) window.parent.postMessage(JSON.stringify({ eventType: type, eventData: data }), "*");
}

function receive(type, data) {
  const given = typeof data === "string" ? JSON.parse(data || "{}") : data;
  for (const listener of listeners.get(type) ?? []) listener(given ?? {});
}

function addListener(type, listener) {
  listeners.set(type, [...(listeners.get(type) ?? []), listener]);
}

// Names that native programs call.
window.Telegram = { WebView: { receiveEvent: receive } };
window.TelegramGameProxy = { receiveEvent: receive };
window.TelegramGameProxy_receiveEvent = receive;

window.addEventListener("message", (event) => {
  if (event.source !== window.parent || typeof event.data !== "string") return;
  let sent = null;
  try {
    sent = JSON.parse(event.data);
  } catch {
    return;
  }
  if (typeof sent?.eventType === "string") receive(sent.eventType, sent.eventData);
});

function setInsets(name, { top = 0, right = 0, bottom = 0, left = 0 }) {
  for (const [side, size] of Object.entries({ top, right, bottom, left })) {
    document.documentElement.style.setProperty(`--${name}-${side}`, `${Number(size) || 0}px`);
    const both = `calc(var(--safe-${side}, 0px) + var(--content-${side}, 0px))`;
    document.documentElement.style.setProperty(`--inset-${side}`, both);
  }
}

function applyTheme(parameters) {
  if (!parameters) return;
  adoptColours(parameters);
  if (parameters.bg_color) {
    post("web_app_set_background_color", { color: parameters.bg_color });
    post("web_app_set_header_color", { color_key: "bg_color" });
  }
}

/** The host of a Mini App. */
export function makeHost() {
  const data = parameters.get("tgWebAppData") ?? "";
  const link = new URLSearchParams(location.search).get("link");
  return {
    name: "Telegram",
    launch: async () => ({ initData: data, ...(link ? { link } : {}) }),
    start() {
      try {
        applyTheme(JSON.parse(parameters.get("tgWebAppThemeParams") ?? "null"));
      } catch {
        // Without them the page uses its own colours.
      }
      addListener("theme_changed", ({ theme_params: theme }) => applyTheme(theme));
      addListener("safe_area_changed", (area) => setInsets("safe", area));
      addListener("content_safe_area_changed", (area) => setInsets("content", area));
      addListener("viewport_changed", ({ height }) => {
        if (height) document.documentElement.style.setProperty("--height", `${height}px`);
      });
      post("iframe_ready", { reload_supported: true });
      post("web_app_request_theme");
      post("web_app_request_viewport");
      post("web_app_request_safe_area");
      post("web_app_request_content_safe_area");
      post("web_app_expand");
      // Dragging on the board must not close the app.
      post("web_app_setup_swipe_behavior", { allow_vertical_swipe: false });
    },
    sessionOpened() {},
    ready: () => post("web_app_ready"),
    onBack: (listener) => addListener("back_button_pressed", listener),
    showBack: (visible) => post("web_app_setup_back_button", { is_visible: visible }),
    onMain: (listener) => addListener("main_button_pressed", listener),
    showMain: (text) => post("web_app_setup_main_button", { is_visible: Boolean(text), is_active: Boolean(text), ...(text ? { text } : {}) }),
    haptic(kind) {
      const feel = kind === "tap" ? { type: "impact", impact_style: "light" } : { type: "notification", notification_type: kind };
      post("web_app_trigger_haptic_feedback", feel);
    },
    hasBack: true,
    // In a private chat a game can be made as well: its invitation is a link.
    invitesAlone: true,
    onLayout() {},
  };
}
