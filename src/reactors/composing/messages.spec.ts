import { describe, expect, it } from '@jest/globals';
import { messageTable } from '../../../test/support/notifications/messages.ts';
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
  it('begins a Slack text with one icon and the project as a link', () => {
    const text = slackText(messageTable['a check fails']!);
    expect(text).toMatch(/^:fire: <https:\/\/shop\.example\|Shop &amp; Co>: /);
    expect(slackText(messageTable['a check recovers']!)).toMatch(/^:coffee: </);
    for (const message of Object.values(messageTable)) expect(slackText(message).match(/:fire:|:coffee:/g)).toHaveLength(1);
  });

  it('lets no name become a mention, a link, markup or a second header', () => {
    const hostile = messageTable['names that want to be more than names']!;
    expect(slackText(hostile)).not.toMatch(/<!channel>|<https:\/\/evil/);
    expect(emailHtml(compose(hostile), hostile)).not.toMatch(/<script|<b>/);
    expect(compose(hostile).title).not.toMatch(/[\r\n\u202e]/);
  });

  it('tells the time in the zone of the recipient, also where clocks change', () => {
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
  ])('says how long %d seconds are', (seconds, words) => {
    expect(duration('2026-03-01T10:00:00.000Z', new Date(Date.parse('2026-03-01T10:00:00Z') + seconds * 1000).toISOString())).toBe(words);
  });

  it('cuts between letters, not inside one', () => {
    expect(oneLine('🔥🔥🔥🔥', 3)).toBe('🔥🔥…');
  });
});
