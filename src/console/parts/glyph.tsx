import type { GlyphState } from './glyph-state.ts';

const WORDS: Readonly<Record<GlyphState, string>> = {
  working: 'working',
  failing: 'failing',
  warning: 'needs attention',
  maintenance: 'in maintenance',
  unknown: 'not measured',
};

/** A state by its shape first; its word is for screen readers and for the pointer. */
export function Glyph({ state }: { readonly state: GlyphState }) {
  return (
    <svg class={`glyph ${state}`} viewBox="0 0 12 12" width="12" height="12" role="img" aria-label={WORDS[state]}>
      <title>{WORDS[state]}</title>
      {SHAPES[state]}
    </svg>
  );
}

const SHAPES = {
  working: <path d="M1.5 6.5 4.6 9.6 10.5 3" fill="none" stroke="currentColor" stroke-width="2" />,
  failing: <path d="M6 1 11.5 11H.5z" fill="currentColor" />,
  warning: <path d="M5 1h2v6.5H5zM5 9h2v2H5z" fill="currentColor" />,
  maintenance: <path d="M2 1.5h3v9H2zM7 1.5h3v9H7z" fill="currentColor" />,
  unknown: <circle cx="6" cy="6" r="4.6" fill="none" stroke="currentColor" stroke-width="1.4" stroke-dasharray="2.2 1.6" />,
} as const;
