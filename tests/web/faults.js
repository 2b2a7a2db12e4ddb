// What a reader without eyes, or with a finger, would stumble over in the page as it stands.
() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const visible = (element) => element.checkVisibility() && element.getClientRects().length > 0;
  const shown = (element) => element.outerHTML.slice(0, 120);
  const name = (element) =>
    element.getAttribute("aria-label") ||
    element.labels?.[0]?.textContent ||
    element.textContent.trim() ||
    element.querySelector("img")?.alt ||
    "";
  const small = (element) => {
    const box = element.getBoundingClientRect();
    // What stands within a sentence is as high as its line (2.5.8, inline).
    // A board becomes smaller so that what is asked stays in sight: its cells have the least of WCAG 2.2, 2.5.8.
    const least = element.matches(".board .cell, .board .spot") ? 24 : 32;
    return Math.min(box.width, box.height) < least && !element.matches(".code, .named");
  };
  const controls = all("button, a[href], input, textarea, [role=listbox], [role=group]").filter(visible);
  const ids = all("[id]").map((element) => element.id);
  const references = ["aria-controls", "aria-labelledby", "aria-describedby", "aria-activedescendant"];
  const dangling = references.flatMap((name) =>
    all(`[${name}]`).filter((element) => !document.getElementById(element.getAttribute(name))),
  );
  return [
    ...controls.filter((element) => !name(element).trim()).map((element) => `no name: ${shown(element)}`),
    ...all("img").filter((image) => !image.alt).map((image) => `no alt: ${shown(image)}`),
    ...all("button, a.key").filter(visible).filter(small).map((element) => `small: ${shown(element)}`),
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `twice: ${id}`),
    ...all("[tabindex]").filter((element) => element.tabIndex > 0).map((element) => `tabindex: ${shown(element)}`),
    ...dangling.map((element) => `refers to nothing: ${shown(element)}`),
    ...(document.documentElement.lang ? [] : ["no language"]),
  ];
};
