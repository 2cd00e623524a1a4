import type { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import { readSiteUrl } from '../../kernel/site-url.ts';
import { DomainError } from '../../kernel/errors.ts';
import { parsedUrl } from '../../kernel/url.ts';

/** docs/spec/interface.md#errors: update test, missing or invalid URL. */
export class TestUrlInvalid extends DomainError {
  readonly code = 'TEST_URL_INVALID';
}

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i;

/** Absolute, or a path relative to the project's url (docs/spec/decisions.md#T3). Answers the trimmed text, which is stored as the client wrote it. */
export function readCheckUrl(given: unknown, projectUrl: string, guard: SsrfGuard): string {
  if (typeof given !== 'string' || given.trim() === '') throw new TestUrlInvalid('A URL must be specified.');
  const text = given.trim();
  const absolute = ABSOLUTE.test(text) ? text : (parsedUrl(text, projectUrl)?.href ?? '');
  // The URL parser silently drops control characters, so the raw text is checked.
  const site = hasControl(text) ? null : readSiteUrl(absolute);
  if (site === null || site.kind === 'invalid')
    throw new TestUrlInvalid(
      `A valid URL must be specified: ${site === null ? 'it contains white space or control characters' : site.reason}.`,
    );
  const target = guard.readUrl(site.url);
  if (!target.ok) throw new TestUrlInvalid(`A valid URL must be specified: ${target.reason}.`);
  return text;
}

// oxlint-disable-next-line no-control-regex -- control characters are what is refused
const hasControl = (text: string): boolean => /[\u0000-\u0020\u007f-\u009f]/.test(text);
