import { InvalidInput } from '../../kernel/errors.ts';

export const themes = ['light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** Distinguishable with red-green colour blindness and in greyscale: lightness differs, and unknown time is hatched. */
export interface Palette {
  readonly background: string;
  readonly text: string;
  readonly faint: string;
  readonly grid: string;
  readonly up: string;
  readonly timeout: string;
  readonly down: string;
  readonly hatch: string;
  /** Colours in the order of the phases of a probe. */
  readonly phases: readonly string[];
  readonly p95: string;
}

export const palettes: Readonly<Record<Theme, Palette>> = {
  light: {
    background: '#ffffff',
    text: '#1f2328',
    faint: '#59636e',
    grid: '#d9dee4',
    up: '#2da44e',
    timeout: '#f0a92b',
    down: '#b3202c',
    hatch: '#8c959f',
    phases: ['#8250df', '#0969da', '#1b7c83', '#bf3989', '#4ac26b', '#d4a72c'],
    p95: '#24292f',
  },
  dark: {
    background: '#0d1117',
    text: '#e6edf3',
    faint: '#9198a1',
    grid: '#2a313c',
    up: '#3fb950',
    timeout: '#e3b341',
    down: '#f85149',
    hatch: '#6e7681',
    phases: ['#a371f7', '#58a6ff', '#39c5cf', '#f778ba', '#3fb950', '#e3b341'],
    p95: '#f0f6fc',
  },
};

export function readTheme(query: Readonly<Record<string, unknown>>): Theme {
  const asked = query['theme'];
  if (asked === undefined) return 'light';
  const theme = themes.find((one) => one === asked);
  if (theme === undefined) throw new InvalidInput(`theme: must be one of ${themes.join(', ')}`, { allowed: themes });
  return theme;
}

/** A picture is nothing but a picture, wherever it is opened. */
export const PICTURE_HEADERS = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'x-content-type-options': 'nosniff',
} as const;
