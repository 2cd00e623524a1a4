import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { messageTable, problemMessage } from '../../../test/support/notifications/sample-messages.ts';
import { createTestMailServer, type TestMailServer } from '../../../test/support/servers/mail.ts';
import { type Receiver, startReceiver } from '../../../test/support/servers/receiver.ts';
import { SmtpMailer } from '../../platform/mail/smtp-mailer.ts';
import type { DeliveryOutcome } from './post.ts';
import { composeMail, deliverMail } from './email.channel.ts';

describe('a mail server that', () => {
  /** For a server that never answers; everything else may take as long as a busy machine needs. */
  const SHORT = { connectMs: 400, silenceMs: 400 };
  let server: TestMailServer;
  let noMailServer: Receiver;
  beforeAll(async () => {
    [server, noMailServer] = await Promise.all([createTestMailServer(), startReceiver()]);
  });
  afterAll(() => Promise.all([server.close(), noMailServer.close()]));

  const mailTo = async (url: string, patience?: typeof SHORT): Promise<DeliveryOutcome> => {
    const short = new SmtpMailer(url, 'w@example.test', patience);
    const outcome = await deliverMail({ mailer: short, mailFrom: 'w@example.test' }, composeMail('a@example.test', problemMessage));
    short.close();
    return outcome;
  };
  const says = (verb: string, line: string | null) => {
    server.reply = (asked) => (asked === verb ? line : undefined);
  };

  it.each([
    ['does not know the recipient', 'RCPT', '550 no such user'],
    ['says that the mail is too large', '.', '552 too large'],
    ['takes the mail for spam', '.', '554 rejected'],
  ])('%s makes the delivery fail for good', async (_, verb, line) => {
    says(verb, line);
    expect(await mailTo(server.url)).toMatchObject({ kind: 'refused', reason: expect.stringContaining(line) });
  });

  it.each([
    ['is too busy', 'CONNECT', '421 too busy'],
    ['accepts no connection', 'CONNECT', '554 no service'],
    ['has a full mailbox', 'RCPT', '452 mailbox full'],
    ['grey-lists', 'RCPT', '450 later'],
    ['does not like the sender', 'MAIL', '553 not you'],
    ['fails at the end', '.', '451 local error'],
    ['does not answer', 'CONNECT', null],
    ['falls silent', 'DATA', null],
  ])('%s is tried again', async (_, verb, line) => {
    says(verb, line);
    expect(await mailTo(server.url, line === null ? SHORT : undefined)).toMatchObject({ kind: 'later' });
  });

  it('refuses the operator’s password is tried again, because the configuration is at fault', async () => {
    server.reply = (verb) => (verb === 'EHLO' ? '250-test\r\n250 AUTH PLAIN' : verb === 'AUTH' ? '535 wrong password' : undefined);
    expect(await mailTo(server.url.replace('smtp://', 'smtp://user:password@'))).toMatchObject({ kind: 'later' });
  });

  it('disconnects, is not a mail server, does not speak TLS or is down is tried again', async () => {
    server.reply = (verb, socket) => {
      if (verb === 'DATA') socket.destroy();
      return verb === 'DATA' ? null : undefined;
    };
    for (const url of [server.url, 'smtp://127.0.0.1:1']) expect(await mailTo(url)).toMatchObject({ kind: 'later' });
    for (const url of [noMailServer.url.replace('http', 'smtp'), server.url.replace('smtp', 'smtps')])
      expect(await mailTo(url, SHORT)).toMatchObject({ kind: 'later' });
  });

  it('receives one mail to one recipient however hostile the names in it are', async () => {
    server.reply = () => undefined;
    const hostile = messageTable['names that want to be more than names']!;
    const sender = new SmtpMailer(server.url, 'w@example.test');
    await deliverMail({ mailer: sender, mailFrom: 'w@example.test' }, composeMail('one@example.test', hostile));
    sender.close();
    const [raw = '', ...others] = server.to('one@example.test');
    const [head = '', ...body] = raw.split('\r\n\r\n');
    expect([others, server.to('all@example.test')]).toEqual([[], []]);
    expect(head.match(/^(Bcc|To|Subject):/gim)).toEqual(['To:', 'Subject:']);
    expect(body.join().split('text/html')[1]).not.toMatch(/<script|<b>/);
  });
});
