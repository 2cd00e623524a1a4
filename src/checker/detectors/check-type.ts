import type { CheckType } from '../../projects/checks/check.settings.ts';
import type { Page } from '../page/page.ts';
import { headerValue, type StoredAnswer } from '../rules/stored-answer.ts';
import { shortened } from '../../kernel/text.ts';

/** Magic numbers of image formats. */
const MAGIC: readonly (readonly number[])[] = [
  [0x00, 0x00, 0x01, 0x00],
  [0x89, 0x50, 0x4e, 0x47],
  [0x47, 0x49, 0x46, 0x38],
  [0xff, 0xd8, 0xff],
  [0x42, 0x4d],
  [0x52, 0x49, 0x46, 0x46],
];

const contentType = (answer: StoredAnswer): string => (headerValue(answer, 'content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

function isImage(answer: StoredAnswer, page: Page): boolean {
  if (answer.body.length === 0) return false;
  if (MAGIC.some((bytes) => bytes.every((byte, i) => answer.body[i] === byte))) return true;
  const start = page.html.slice(0, 1000);
  if (/<svg[\s>]/i.test(start)) return !/<(?:!doctype\s+)?html/i.test(start);
  return contentType(answer).startsWith('image/') && contentType(answer) !== 'image/svg+xml' && !/^\s*</.test(start);
}

function isText(answer: StoredAnswer, page: Page): boolean {
  const type = contentType(answer);
  if (type !== '' && !type.startsWith('text/')) return false;
  return !page.html.includes('\0') && !/^\s*<(?:!doctype|html|head|body)\b/i.test(page.html);
}

const describeType = (answer: StoredAnswer): string =>
  contentType(answer) === '' ? 'an answer without a content type' : shortened(contentType(answer), 60);

/** What a type of check requires besides its rules (docs/spec/decisions.md#T8). */
export function typeFailure(type: CheckType, answer: StoredAnswer, page: Page): string | null {
  switch (type) {
    case 'favicon':
      return isImage(answer, page) ? null : `expected an image, found ${describeType(answer)} with status ${String(answer.status)}`;
    case 'robots':
      if (answer.status !== 200) return `expected status 200, got ${String(answer.status)}`;
      return isText(answer, page) ? null : `expected plain text, found ${/^\s*</.test(page.html) ? 'an HTML page' : describeType(answer)}`;
    case 'homepage':
    case 'simple':
      return null;
  }
}
