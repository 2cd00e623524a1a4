import { derivedId } from '../../../kernel/ids.ts';

/** The deduplication ids of the effects of one event: by their keys, or by their number. */
export class EffectIds {
  private count = 0;

  constructor(
    private readonly reactor: string,
    private readonly eventId: string,
  ) {}

  next(key: string | undefined): string {
    const number = this.count++;
    return derivedId('effect', this.reactor, this.eventId, key ?? number);
  }
}
