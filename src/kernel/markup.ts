/** HTML that may stand in the page as it is. */
export class Markup {
  constructor(readonly text: string) {}
}

export type MarkupPart = string | number | Markup | null | readonly MarkupPart[];

/** Escapes every value that is not markup itself. */
export const markup = (parts: TemplateStringsArray, ...values: readonly MarkupPart[]): Markup =>
  new Markup(parts.reduce((text, part, index) => `${text}${markupOf(values[index - 1] ?? null)}${part}`));

function markupOf(value: MarkupPart): string {
  if (value === null) return '';
  if (value instanceof Markup) return value.text;
  return typeof value === 'object' ? value.map(markupOf).join('') : escaped(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
// oxlint-disable-next-line no-control-regex -- a parser of HTML replaces or drops exactly these
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\p{Cs}]/gu;

/** Text inside an element or an attribute. */
export const escaped = (text: string): string =>
  text.replace(UNPRINTABLE, '\ufffd').replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** A text of a person or a site: its direction cannot change that of the text around it. */
export const foreign = (text: string): Markup => markup`<bdi>${text}</bdi>`;

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
