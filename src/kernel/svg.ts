import { escaped } from './markup.ts';

type Attributes = Readonly<Record<string, string | number>>;

/** Escaped SVG. */
export class SvgMarkup {
  constructor(readonly text: string) {}
}

/** Escapes attributes and text children. */
export function element(name: string, attributes: Attributes, ...children: readonly (SvgMarkup | string)[]): SvgMarkup {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${typeof value === 'number' ? short(value) : written(value)}"`);
  const inner = children.map((child) => (child instanceof SvgMarkup ? child.text : written(child))).join('');
  return new SvgMarkup(inner === '' ? `<${name}${given.join('')}/>` : `<${name}${given.join('')}>${inner}</${name}>`);
}

/** Rounded to a tenth of a pixel. */
export const short = (value: number): string => String(Math.round(value * 10) / 10);

export const FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";

// oxlint-disable-next-line no-control-regex -- XML cannot express most control characters, so they are removed
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const written = (text: string): string => escaped(text.replace(UNWRITABLE, ''));
