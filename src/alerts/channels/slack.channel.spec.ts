import { describe, expect, it } from '@jest/globals';
import { link, plain } from './slack.channel.ts';

/** Without invisible characters. */
const seen = (text: string): string => text.replaceAll('\u2060', '');

describe('a line for Slack', () => {
  it.each([
    ['*bold* _it_ ~gone~ `code`', '\u2217bold\u2217 \u02cdit\u02cd \u223cgone\u223c \u02cbcode\u02cb'],
    ['my_page & <b>', 'my_page &amp; &lt;b&gt;'],
    ['> quoted', '&gt; quoted'],
    [':fire: @here #general', ':fire: @here #general'],
  ])('shows %j unformatted', (line, shown) => {
    expect(seen(plain(line))).toBe(shown);
  });

  it.each(['> quoted', ':fire:', '@here', '#general'])('disables %j', (line) => {
    expect(plain(line)).toContain('\u2060');
    expect(plain(line)).not.toMatch(/^&gt;|:fire:|@h|#g/);
  });

  it('escapes the title of a link, which must not end the link or contain one', () => {
    expect(link('https://a.example/?q=1|2&r=<x>', 'A|B *c* <d>')).toBe(
      '<https://a.example/?q=1%7C2&amp;r=&lt;x&gt;|A/B \u2217c\u2217 &lt;d&gt;>',
    );
  });
});
