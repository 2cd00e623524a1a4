/** The element with the focus and all that contain it, the innermost first; empty: nothing has it. */
let held: readonly HTMLElement[] = [];

function chainOf(element: HTMLElement): readonly HTMLElement[] {
  const chain: HTMLElement[] = [];
  for (let each: HTMLElement | null = element; each !== null && each !== document.body; each = each.parentElement) chain.push(each);
  return chain;
}

/**
 * Keeps the place of the focus when its element is removed: a deleted row, a button that opened a form. The nearest ancestor in the page gets the focus, so that
 * Tab continues there.
 */
export function keepFocus(root: HTMLElement): void {
  root.addEventListener('focusin', ({ target }) => {
    held = target instanceof HTMLElement ? chainOf(target) : [];
  });
  root.addEventListener('focusout', ({ target }) => {
    // What is removed loses the focus as well: it is known as removed only after that.
    queueMicrotask(() => {
      const [last] = held;
      if (last === target && last?.isConnected) held = [];
    });
  });
  new MutationObserver(() => {
    if (held.length === 0 || held[0]?.isConnected === true || document.activeElement !== document.body) return;
    const place = held.find(({ isConnected }) => isConnected);
    if (place === undefined) return;
    if (place.tabIndex < 0) place.tabIndex = -1;
    place.focus({ preventScroll: true });
  }).observe(root, { childList: true, subtree: true });
}
