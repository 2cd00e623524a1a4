import { InvalidInput } from '../../kernel/errors.ts';
import { type Theme, themes } from './palette.ts';

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
