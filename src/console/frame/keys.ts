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
