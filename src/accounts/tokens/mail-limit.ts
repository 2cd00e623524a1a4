import type { LimitMeter } from '../../kernel/limits.ts';
import type { EmailDirectory } from '../email-directory.ts';
import type { TryStore } from './try-store.ts';

/** Links per 15 minutes to one address. */
const MAX_LINKS = 3;

export interface MailWindows {
  readonly quarterHour: TryStore;
  readonly day: TryStore;
}

/** Counts mails by the keyed hash of their recipient, whatever their reason and cause, over all instances. */
export class MailLimit {
  constructor(
    private readonly directory: EmailDirectory,
    private readonly windows: MailWindows,
    /** Mails a day to one address; 0: no limit. */
    private readonly perDay: number,
    private readonly meter: LimitMeter,
  ) {}

  /** Counts a link; false: it must not be sent. */
  async allowsLink(address: string): Promise<boolean> {
    const key = `mail ${await this.directory.hashOf(address)}`;
    return this.counted(await this.windows.quarterHour.recordAttempt(key, MAX_LINKS)) && (await this.allows(address));
  }

  /** Counts any mail; false: it must not be sent. */
  async allows(address: string): Promise<boolean> {
    if (this.perDay === 0) return true;
    return this.counted(await this.windows.day.recordAttempt(`mails of a day ${await this.directory.hashOf(address)}`, this.perDay));
  }

  private counted(isAllowed: boolean): boolean {
    if (!isAllowed) this.meter.refused('mails');
    return isAllowed;
  }
}
