import { Injectable } from '@nestjs/common';
import { bindHeaders, readBoundHeaders } from './bound-headers.ts';
import { projectStream } from '../../kernel/stream-names.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import type { Sealed } from '../../kernel/event.ts';
import { isSameSite, originOf } from '../../kernel/url.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { MASK } from '../../kernel/text.ts';
import type { SettingsOwner } from './saved-headers.ts';

/** The body of a request is a secret as extra headers are (docs/spec/decisions.md#T18): never shown, and bound to the site that it was given for. */
@Injectable()
export class SavedBody {
  constructor(private readonly keyring: Keyring) {}

  /** What to save of the given body for requests to `url`; the mask keeps what is saved. */
  async toSave(given: string, saved: Sealed | null, url: string, { id, settings }: SettingsOwner): Promise<Sealed | null> {
    if (given === '') return null;
    if (given !== MASK) return this.keyring.seal(projectStream(id), bindHeaders({ origin: originOf(url), lines: given }));
    if (saved === null) throw new InvalidInput('options.body: has no saved value');
    const { origin } = readBoundHeaders((await this.keyring.open(saved)) ?? '', settings.url);
    return isSameSite(origin, url) ? saved : refuse();
  }

  /** Refuses to move a check away from the site of its body; it would not be sent to the new one. */
  async refuseToLeave(saved: Sealed | null, left: string, entered: string, projectUrl: string): Promise<void> {
    if (saved === null) return;
    const { origin } = readBoundHeaders((await this.keyring.open(saved)) ?? '', projectUrl);
    if (isSameSite(origin, left) && !isSameSite(origin, entered)) refuse();
  }
}

function refuse(): never {
  throw new InvalidInput('options.body: must be given again, because url leads to another site');
}
