import { Injectable } from '@nestjs/common';
import { readExtraHeaders } from './extra-headers.ts';
import { bindHeaders, readBoundHeaders } from './bound-headers.ts';
import { projectStream } from '../../kernel/stream-names.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import type { Sealed } from '../../kernel/event.ts';
import { isSameSite, originOf } from '../../kernel/url.ts';
import type { ProjectRow } from '../project.view.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { MASK } from '../../kernel/text.ts';

/** The project that saves a secret, which may not have been created yet. */
export type SettingsOwner = Pick<ProjectRow, 'id' | 'settings'>;

/** Extra headers are secrets (docs/spec/decisions.md#T15): names are shown, values are not, and a saved value stays with the site that it was given for. */
@Injectable()
export class SavedHeaders {
  constructor(private readonly keyring: Keyring) {}

  /** The headers as answers show them, with masked values. */
  async masked(saved: Sealed | null): Promise<string> {
    return saved === null ? '' : maskedLines((await this.opened(saved, '')).lines);
  }

  /** What to save of the given headers for requests to `url`; masked values are those of `saved`. */
  async toSave(given: string, saved: Sealed | null, url: string, { id, settings }: SettingsOwner): Promise<Sealed | null> {
    if (given === '') return null;
    const before = saved === null ? null : await this.opened(saved, settings.url);
    // What a client got in an answer and sends back changes nothing, not even the site.
    if (given === MASK || (before !== null && given === maskedLines(before.lines))) return saved;
    const { lines, kept } = unmasked(given, before?.lines ?? '');
    if (kept && before !== null && !isSameSite(before.origin, url)) throw givenAgain();
    const read = readExtraHeaders(lines);
    if (!read.ok) throw new InvalidInput(`options.w: ${read.reason}`);
    return this.keyring.seal(projectStream(id), bindHeaders({ origin: originOf(url), lines }));
  }

  /** Refuses to move a check away from the site of its headers; they would not be sent to the new one. */
  async refuseToLeave(saved: Sealed | null, left: string, entered: string, projectUrl: string): Promise<void> {
    if (saved === null) return;
    const { origin } = await this.opened(saved, projectUrl);
    if (isSameSite(origin, left) && !isSameSite(origin, entered)) throw givenAgain();
  }

  private async opened(saved: Sealed, projectUrl: string): Promise<{ readonly origin: string; readonly lines: string }> {
    return readBoundHeaders((await this.keyring.open(saved)) ?? '', projectUrl);
  }
}

const givenAgain = (): InvalidInput => new InvalidInput('options.w: must be given again, because url leads to another site');

const nameOf = (line: string): string => line.slice(0, line.indexOf(':')).toLowerCase();

const maskedLines = (lines: string): string =>
  lines
    .split('\n')
    .map((line) => (line === '' ? '' : `${line.slice(0, line.indexOf(':'))}: ${MASK}`))
    .join('\n');

/** Restores masked values: among several lines with one name, the first masked line keeps the first saved one, and so on. */
function unmasked(given: string, saved: string): { readonly lines: string; readonly kept: boolean } {
  const left = saved.split('\n');
  let kept = false;
  const lines = given.split('\n').map((line) => {
    if (!line.endsWith(`: ${MASK}`)) return line;
    const at = left.findIndex((other) => nameOf(other) === nameOf(line));
    if (at < 0) throw new InvalidInput(`options.w: ${line.slice(0, line.indexOf(':'))} has no saved value`);
    kept = true;
    return left.splice(at, 1)[0] ?? line;
  });
  return { lines: lines.join('\n'), kept };
}
