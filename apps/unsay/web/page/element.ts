type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/** Builds an element. Text goes in as text, never as markup; `false` and `undefined` leave an attribute out. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children);
  return made;
}

/** The page's own element with this id; its absence is a broken page. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element #${id}`);
  return found;
}

/** Sets text only when it differs, so that a live region speaks once. */
export function setText(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}
