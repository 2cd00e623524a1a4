import { describe, expect, it } from '@jest/globals';
import { messageTable, problemMessage } from '../../../test/support/notifications/sample-messages.ts';
import { outcomeOfReply } from '../channels/post.ts';
import { emailHtml, emailText } from '../channels/email.channel.ts';
import { trigger } from '../channels/pagerduty.channel.ts';
import { pushbulletBody } from '../channels/pushbullet.channel.ts';
import { pushoverForm } from '../channels/pushover.channel.ts';
import { slackText } from '../channels/slack.channel.ts';
import { webhookBody } from '../channels/webhook.channel.ts';
import { pushPayload } from '../channels/web-push.channel.ts';
import { compose } from './compose.ts';
import { duration, localTime, oneLine } from './words.ts';

const pretty = (json: string): string => JSON.stringify(JSON.parse(json), null, 2);

/** To be read by a person: what arrives, word for word. */
describe.each(Object.entries(messageTable))('the message: %s', (_, message) => {
  const composed = compose(message);
  it.each([
    ['email', () => `Subject: ${composed.title}\n\n${emailText(composed, message)}`],
    ['email html', () => emailHtml(composed, message)],
    ['slack', () => slackText(message)],
    ['pagerduty', () => pretty(trigger('key', message))],
    [
      'pushover',
      () => [...new URLSearchParams(pushoverForm('user', 'token', message))].map(([name, value]) => `${name}: ${value}`).join('\n'),
    ],
    ['pushbullet', () => pretty(pushbulletBody(message))],
    ['web push', () => pretty(pushPayload(message))],
    ['webhook', () => pretty(webhookBody(message)).slice(0, 3_000)],
  ] as const)('by %s', (_channel, text) => {
    expect(text()).toMatchSnapshot();
  });
});

describe('words', () => {
  it('starts a Slack text with one icon and the project as a link', () => {
    const text = slackText(messageTable['a check fails']!);
    expect(text).toMatch(/^:fire: <https:\/\/shop\.example\|Shop &amp; Co>: /);
    expect(slackText(messageTable['a check recovers']!)).toMatch(/^:coffee: </);
    for (const message of Object.values(messageTable)) expect(slackText(message).match(/:fire:|:coffee:/g)).toHaveLength(1);
  });

  it('never turns a name into a mention, a link, markup or a second header', () => {
    const hostile = messageTable['names that want to be more than names']!;
    expect(slackText(hostile)).not.toMatch(/<!channel>|<https:\/\/evil/);
    expect(emailHtml(compose(hostile), hostile)).not.toMatch(/<script|<b>/);
    expect(compose(hostile).title).not.toMatch(/[\r\n\u202e]/);
  });

  it('shows times in the time zone of the recipient, also across clock changes', () => {
    expect(localTime('2026-03-01T10:00:00Z', 'Europe/Prague')).toBe('1 Mar 2026, 11:00:00 (Europe/Prague)');
    expect(localTime('2026-07-01T10:00:00Z', 'Europe/Prague')).toBe('1 Jul 2026, 12:00:00 (Europe/Prague)');
    expect(localTime('2026-07-01T10:00:00Z', 'No/Where')).toBe('1 Jul 2026, 10:00:00 (UTC)');
  });

  it.each([
    [0, 'less than a second'],
    [59, '59 s'],
    [320, '5 min 20 s'],
    [3_600, '1 h'],
    [90_061, '1 day 1 h'],
    [2 * 86_400 + 59, '2 days'],
  ])('words a duration of %d seconds', (seconds, words) => {
    expect(duration('2026-03-01T10:00:00.000Z', new Date(Date.parse('2026-03-01T10:00:00Z') + seconds * 1000).toISOString())).toBe(words);
  });

  it('shortens between characters, not inside one', () => {
    expect(oneLine('🔥🔥🔥🔥', 3)).toBe('🔥🔥…');
  });

  it.each(['🔥', '7🔥'])('does not split a surrogate pair where a channel shortens %s', (letter) => {
    const item = { ...problemMessage.items[0]!, failures: Array.from({ length: 3 }, () => letter.repeat(80)) };
    const long = { ...problemMessage, items: Array.from({ length: 60 }, () => item) };
    const texts = [trigger('key', long), pushbulletBody(long), pushPayload(long)].map((json) => JSON.stringify(JSON.parse(json)));
    for (const text of texts) expect(text).not.toMatch(/\\ud[89a-f]/i);
    expect(new URLSearchParams(pushoverForm('user', 'token', long)).get('message')).not.toContain('\ufffd');
    const { reason } = outcomeOfReply({ kind: 'answered', status: 400, body: letter.repeat(400), retryAfterMs: null }) as {
      reason: string;
    };
    expect(reason).not.toMatch(/[\ud800-\udfff]/u);
  });

  it.each(['商', '"', '🔥'])('fits into the size limit of a push service, also when written in %s', (letter) => {
    const title = letter.repeat(200);
    const item = { ...problemMessage.items[0]!, name: title, failures: Array.from({ length: 3 }, () => letter.repeat(200)) };
    const long = { ...problemMessage, project: { ...problemMessage.project, title }, items: [item, item, item] };
    // 4096 bytes, of which encryption takes 103 (RFC 8188, RFC 8291).
    expect(Buffer.byteLength(pushPayload(long))).toBeLessThanOrEqual(4_096 - 103);
    expect(JSON.parse(pushPayload(long))).toMatchObject({ body: expect.stringContaining(letter.repeat(100)) });
  });
});
