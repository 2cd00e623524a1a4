import { isUrl } from '../../kernel/url.ts';

export type RedirectStatus = 'ok' | 'failed' | 'unreachable';

/** Judges where the http version of a project ended; null: no answer (docs/spec/decisions.md#P9). */
export function redirectStatus(projectUrl: string, finalUrl: string | null): RedirectStatus {
  if (finalUrl === null) return 'unreachable';
  if (!isUrl(finalUrl)) return 'failed';
  const final = new URL(finalUrl);
  return final.protocol === 'https:' && bare(final.hostname) === bare(new URL(projectUrl).hostname) ? 'ok' : 'failed';
}

const bare = (host: string): string => host.replace(/\.$/, '').replace(/^www\./, '');
