import type pg from 'pg';
import { pause } from '../../kernel/abortable.ts';
import { randomId } from '../../kernel/ids.ts';
import type { Secrets } from '../security/keyring/secrets.ts';
import { SubjectKey } from '../security/keyring/subject-key.ts';
import type { Mail, Mailer } from './mailer.ts';
import { backOffOf } from '../../kernel/back-off.ts';
import { MINUTE_MS, SECOND_MS } from '../../kernel/time.ts';

interface MailOutboxParts {
  readonly pool: pg.Pool;
  readonly secrets: Pick<Secrets, 'secret'>;
  readonly mailer: Pick<Mailer, 'send'>;
  /** Without address and text of the mail. */
  readonly report: (reason: string) => void;
}

interface OutboxMail extends Pick<Mail, 'to' | 'subject' | 'text'> {
  /** A mail that is stored already under this id is not stored again. */
  readonly id?: string;
  /** Whose erasure deletes it. */
  readonly userId?: number;
}

interface Row {
  readonly id: string;
  readonly sealed: string;
  readonly attempts: number;
}

/** Longer than an attempt takes, so that no other instance sends the same mail meanwhile. */
const LEASE_SECONDS = 120;
const PAUSES = { firstMs: MINUTE_MS, mostMs: 15 * MINUTE_MS };
const HOURS = 24;
const BATCH = 20;
const SUBJECT = 'mails';
/** A mail server that does not answer must not hold up a stop. */
const LONGEST_CLOSE_MS = 3_000;
/** RFC 2606: no address of this domain exists. */
const NO_RECIPIENT = '@invalid';

/**
 * Transactional outbox of mails outside the log: links, whose tokens may stand nowhere in clear, and the notice of an erasure, whose address is unreadable
 * afterwards. A mail is stored before the request is answered, sent at once, and deleted when the mail server has taken or refused it. At-least-once: a
 * crash in between repeats it.
 */
export class MailOutbox {
  private readonly sending = new Set<Promise<void>>();

  constructor(private readonly parts: MailOutboxParts) {}

  /** Answers when it is stored. */
  async add({ id = randomId(), userId, ...mail }: OutboxMail): Promise<void> {
    const { sealed } = (await this.key()).seal(JSON.stringify(mail));
    const { rowCount } = await this.parts.pool.query(
      `INSERT INTO mail_outbox (id, sealed, user_id, due_at, expires_at)
       VALUES ($1, $2, $3, now() + make_interval(secs => $4), now() + make_interval(hours => $5)) ON CONFLICT (id) DO NOTHING`,
      [id, sealed, userId ?? null, LEASE_SECONDS, HOURS],
    );
    if (rowCount === 1) this.sendLater({ id, sealed, attempts: 1 });
  }

  /** Sends the mails that a crash or the mail server has left. */
  async sendDue(): Promise<void> {
    const { pool } = this.parts;
    await pool.query('DELETE FROM mail_outbox WHERE expires_at <= now()');
    const { rows } = await pool.query<Row>(
      `UPDATE mail_outbox SET attempts = attempts + 1, due_at = now() + make_interval(secs => $1)
       WHERE id IN (SELECT id FROM mail_outbox WHERE due_at <= now() ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING id, sealed, attempts`,
      [LEASE_SECONDS, BATCH],
    );
    for (const row of rows) this.sendLater(row);
  }

  /** Gives mails that are being sent a few seconds. The others stay stored, for the next start or another instance. */
  async close(): Promise<void> {
    const stop = new AbortController();
    await Promise.race([Promise.all(this.sending), pause(LONGEST_CLOSE_MS, stop.signal)]);
    stop.abort();
  }

  private sendLater(row: Row): void {
    const sending = this.send(row)
      .catch((error: unknown) => {
        this.parts.report(error instanceof Error ? error.message : String(error));
      })
      .finally(() => this.sending.delete(sending));
    this.sending.add(sending);
  }

  private async send({ id, sealed, attempts }: Row): Promise<void> {
    const { pool, mailer, report } = this.parts;
    const mail = JSON.parse((await this.key()).open({ subject: SUBJECT, sealed })) as Pick<Mail, 'to' | 'subject' | 'text'>;
    const outcome = mail.to.endsWith(NO_RECIPIENT) ? ({ kind: 'off' } as const) : await mailer.send(mail);
    if (outcome.kind === 'failed') report(outcome.reason.replaceAll(mail.to, '<recipient>'));
    if (outcome.kind === 'failed' && outcome.temporary)
      await pool.query('UPDATE mail_outbox SET due_at = now() + make_interval(secs => $2) WHERE id = $1', [
        id,
        backOffOf(attempts, PAUSES) / SECOND_MS,
      ]);
    else await pool.query('DELETE FROM mail_outbox WHERE id = $1', [id]);
  }

  private async key(): Promise<SubjectKey> {
    return new SubjectKey(SUBJECT, await this.parts.secrets.secret('mails'));
  }
}
