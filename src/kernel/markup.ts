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
