import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export interface Shortcut {
  /** The words of the list of shortcuts. */
  readonly does: string;
  readonly run: () => void;
}

export type Shortcuts = Readonly<Record<string, Shortcut>>;

/** Those of the pages and parts that are shown; the latest first. */
export const activeShortcuts = signal<readonly { readonly current: Shortcuts }[]>([]);

/** A letter after `g` names a place: `g o`. */
let prefix = '';
const PREFIX_MS = 1_500;

/** Shortcuts for as long as the part is shown. */
export function useKeys(shortcuts: Shortcuts): void {
  const held = useRef(shortcuts);
  held.current = shortcuts;
  useEffect(() => {
    activeShortcuts.value = [held, ...activeShortcuts.value];
    return () => {
      activeShortcuts.value = activeShortcuts.value.filter((other) => other !== held);
    };
  }, []);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** On many keyboards brackets are typed with Alt or AltGr, which some systems report as Ctrl with Alt. */
const isCombined = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  metaKey || ((ctrlKey || altKey) && !(altKey && (key === '[' || key === ']')));

/** Enter on a link or a button is for that alone. */
const isPressing = ({ key, target }: KeyboardEvent): boolean =>
  key === 'Enter' && target instanceof Element && target.closest('a, button, summary') !== null;

addEventListener('keydown', (event) => {
  if (event.defaultPrevented || isCombined(event) || isTyping(event.target) || isPressing(event)) return;
  const pressed = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const name = prefix === '' ? pressed : `${prefix} ${pressed}`;
  prefix = '';
  const found = activeShortcuts.value.map(({ current }) => current[name]).find((shortcut) => shortcut !== undefined);
  if (found !== undefined) {
    event.preventDefault();
    found.run();
  } else if (pressed === 'g') {
    prefix = 'g';
    setTimeout(() => (prefix = ''), PREFIX_MS);
  }
});

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
