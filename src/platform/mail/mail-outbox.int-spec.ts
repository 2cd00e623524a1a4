import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { createTestMailServer, type TestMailServer } from '../../../test/support/servers/mail.ts';
import { until } from '../../../test/support/until.ts';
import { derivedId } from '../../kernel/ids.ts';
import { LinkStore } from '../../accounts/tokens/link-store.ts';
import { MailOutbox } from './mail-outbox.ts';
import type { Mailer } from './mailer.ts';
import { SmtpMailer } from './smtp-mailer.ts';

const TOKEN = 'a-secret-token-of-a-link';
const key = randomBytes(32);

let database: TestDatabase;
let server: TestMailServer;
let smtp: SmtpMailer;
beforeAll(async () => {
  [database, server] = await Promise.all([createTestDatabase(), createTestMailServer()]);
  smtp = new SmtpMailer(server.url, 'Watchledger <w@example.test>');
});
afterAll(async () => {
  smtp.close();
  await Promise.all([database.drop(), server.close()]);
});
beforeEach(async () => {
  await database.pool.query('DELETE FROM mail_outbox');
});

const reports: string[] = [];
const outboxWith = (mailer: Pick<Mailer, 'send'>): MailOutbox =>
  new MailOutbox({
    pool: database.pool,
    secrets: { secret: () => Promise.resolve(key) },
    mailer,
    report: (reason) => void reports.push(reason),
  });
const crashed = (): MailOutbox => outboxWith({ send: () => new Promise(() => undefined) });
const rows = async (): Promise<readonly object[]> => (await database.pool.query<object>('SELECT * FROM mail_outbox')).rows;
const makeDue = () => database.pool.query('UPDATE mail_outbox SET due_at = now()');
const mailTo = (to: string) => ({ userId: 7, to, subject: 'A new password', text: `https://watch.example/?token=${TOKEN}` });

describe('a mail with a link', () => {
  it('is sent at once and leaves nothing behind', async () => {
    await outboxWith(smtp).add(mailTo('at-once@example.test'));
    await until(async () => (await rows()).length === 0, 10_000);
    expect(server.to('at-once@example.test')).toHaveLength(1);
  });

  it('survives a crash before it was sent, encrypted, and is sent by one instance', async () => {
    await crashed().add(mailTo('crash@example.test'));
    const stored = JSON.stringify(await rows());
    expect(stored).not.toMatch(new RegExp(`${TOKEN}|crash@example`));
    await outboxWith(smtp).sendDue();
    expect(await rows()).toHaveLength(1);
    await makeDue();
    await Promise.all([outboxWith(smtp).sendDue(), outboxWith(smtp).sendDue()]);
    await until(async () => (await rows()).length === 0, 10_000);
    expect(server.to('crash@example.test')).toHaveLength(1);
  });

  it('waits for a mail server that is away, and does not repeat what was refused', async () => {
    const answers = [true, false].map((temporary) => ({ kind: 'failed', reason: 'no mailbox away@example.test', temporary }) as const);
    const refusing = outboxWith({ send: () => Promise.resolve(answers.shift() ?? { kind: 'off' }) });
    await refusing.add(mailTo('away@example.test'));
    await until(() => Promise.resolve(reports.length === 1), 5_000);
    expect(await rows()).toHaveLength(1);
    expect(reports).toEqual(['no mailbox <recipient>']);
    await makeDue();
    await refusing.sendDue();
    await until(async () => (await rows()).length === 0, 5_000);
  });

  it('is stored and sent once under one id', async () => {
    let answer: (outcome: { kind: 'sent' }) => void = () => undefined;
    const sent: string[] = [];
    const outbox = outboxWith({ send: ({ to }) => new Promise((resolve) => (sent.push(to), (answer = resolve))) });
    await outbox.add({ id: derivedId('an erasure', 7), ...mailTo('once@example.test') });
    await outbox.add({ id: derivedId('an erasure', 7), ...mailTo('once@example.test') });
    await until(() => Promise.resolve(sent.length > 0), 5_000);
    expect([sent, await rows()]).toEqual([['once@example.test'], [expect.anything()]]);
    answer({ kind: 'sent' });
    await outbox.close();
    expect([sent.length, await rows()]).toEqual([1, []]);
  });

  it('is deleted unsent where it has no recipient', async () => {
    const sent: string[] = [];
    const outbox = outboxWith({ send: ({ to }) => (sent.push(to), Promise.resolve({ kind: 'sent' })) });
    await outbox.add(mailTo('user-12@invalid'));
    await outbox.close();
    expect([sent, await rows()]).toEqual([[], []]);
  });

  it('is deleted with its account', async () => {
    await crashed().add(mailTo('erased@example.test'));
    await new LinkStore(database.pool).forgetAll(7);
    expect(await rows()).toEqual([]);
  });
});
