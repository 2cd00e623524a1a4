import type { Mail, Mailer, MailOutcome } from '../../src/platform/mail/mailer.ts';
import type { PostRequest, Reply } from '../../src/alerts/channels/post.ts';
import type { Machine, VirtualTime } from './virtual-time.ts';

interface Item {
  readonly about: string;
  readonly testId: string | null;
  readonly since: string;
  readonly until: string | null;
}

/** Identifies a change, the same in every message about it. */
export const changeOf = (kind: string, projectId: string, { about, testId, since, until }: Item): string =>
  `${kind} of ${about} ${testId ?? projectId} since ${since}${until === null ? '' : ` until ${until}`}`;

export interface SimReceiverOptions {
  readonly random: () => number;
  readonly broken: (what: string) => void;
  /** A message was accepted: the worst moment for its sender to crash. */
  readonly taken: (machine: Machine) => void;
}

/** A mail, when it first came. */
export interface Received extends Pick<Mail, 'to' | 'subject' | 'text'> {
  readonly at: number;
}

/** Receives messages and counts how often each change is reported. */
export class SimReceiver {
  /** When each change was first reported. */
  readonly reported = new Map<string, number>();
  /** By their ids. */
  readonly mails = new Map<string, Received>();
  repeats = 0;
  /** Faults of senders: each explains one repeated message. */
  private faultPeriods = 0;
  private readonly messagesOf = new Map<string, Set<string>>();
  private readonly takenAt = new Map<string, number>();
  private closedUntil = 0;

  constructor(
    private readonly time: VirtualTime,
    private readonly options: SimReceiverOptions,
  ) {}

  /** The number of different messages about a change. */
  messages(change: string): number {
    return this.messagesOf.get(change)?.size ?? 0;
  }

  trouble(): void {
    this.faultPeriods++;
  }

  /** Refuses messages for a while. */
  close(milliseconds: number): void {
    this.closedUntil = this.time.now + milliseconds;
  }

  async post(machine: Machine, { body, headers }: PostRequest): Promise<Reply> {
    await Promise.resolve();
    if (!machine.alive) return { kind: 'failed', reason: 'the machine was stopped' };
    if (this.time.now < this.closedUntil) return { kind: 'answered', status: 503, body: '', retryAfterMs: null };
    const { type, data } = JSON.parse(String(body)) as { type: string; data: { project: { id: string }; items: readonly Item[] } };
    this.take(
      String(headers['webhook-id']),
      data.items.map((item) => changeOf(type, data.project.id, item)),
    );
    this.options.taken(machine);
    return { kind: 'answered', status: 200, body: '', retryAfterMs: null };
  }

  /** The way to the mail server that machine has. */
  mailer(machine: Machine): Mailer {
    return { send: (mail) => this.mail(machine, mail), close: () => undefined };
  }

  private async mail(machine: Machine, { to, subject, text, messageId = '' }: Mail): Promise<MailOutcome> {
    await Promise.resolve();
    if (!machine.alive || this.time.now < this.closedUntil) return { kind: 'failed', reason: 'connection refused', temporary: true };
    this.once(messageId);
    if (!this.mails.has(messageId)) this.mails.set(messageId, { to, subject, text, at: this.time.now });
    this.options.taken(machine);
    return { kind: 'sent' };
  }

  private once(id: string): void {
    const before = this.takenAt.get(id);
    if (before === this.faultPeriods) this.options.broken(`the message ${id} was repeated without a fault`);
    if (before !== undefined) this.repeats++;
    this.takenAt.set(id, this.faultPeriods);
  }

  private take(id: string, changes: readonly string[]): void {
    this.once(id);
    for (const change of changes) {
      this.messagesOf.set(change, (this.messagesOf.get(change) ?? new Set()).add(id));
      if (!this.reported.has(change)) this.reported.set(change, this.time.now);
    }
  }
}
