import { createHash } from 'node:crypto';
import type { StatusColors } from '../status-page.settings.ts';
import { type Markup, Markup as Raw, markup, type MarkupPart } from '../../kernel/markup.ts';
import { styleOf } from './style.ts';

/** A page with the policy that lets a browser run and load nothing but its own style. */
export interface HtmlPage {
  readonly html: string;
  readonly policy: string;
}

interface Shell {
  readonly language: string;
  readonly title: string;
  readonly colors: StatusColors;
  readonly head?: Markup | null;
  /** True for a page with a table rather than text. */
  readonly isWide?: boolean;
  readonly body: MarkupPart;
}

export function htmlPage({ language, title, colors, head = null, isWide = false, body }: Shell): HtmlPage {
  const style = styleOf(colors);
  const source = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
  const { text } = markup`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${head}<style>${new Raw(style)}</style></head>
<body${isWide ? new Raw(' class="wide"') : null}>
${body}
</body></html>
`;
  return { html: text, policy: `default-src 'none'; style-src ${source}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'` };
}
