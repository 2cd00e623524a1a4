import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5';
import { problemMessage, recoveryMessage } from '../../../test/support/notifications/sample-messages.ts';
import { compose } from '../composing/compose.ts';
import type { Message } from '../composing/message.ts';
import { composeMail, emailHtml } from './email.channel.ts';
import { trigger } from './pagerduty.channel.ts';
import { pushbulletBody } from './pushbullet.channel.ts';
import { pushoverForm } from './pushover.channel.ts';
import { slackText } from './slack.channel.ts';
import { pushPayload } from './web-push.channel.ts';
import { webhookBody } from './webhook.channel.ts';

const FRAGMENTS = [
  ...['*', '_', '~', '`', '```', '>', '&gt;', '<', '|', '&', '"', "'", ' ', '\n', '\r\n', '\u2028', '\u202e'],
  ...['*bold*', '_it_', '~gone~', '`code`', '<!channel>', '<@U1>', '@here', '#general', ':fire:', ':+1:', '<https://evil.example|click>'],
  ...[
    'https://evil.example/a_b_c',
    'www.evil.example',
    'evil.example',
    'javascript:alert(1)',
    'a@evil.example',
    '[a](https://evil.example)',
  ],
  ...[
    '<b>',
    '</p>',
    '<a href="https://evil.example">',
    '<script>',
    '<img src=x onerror=alert(1)>',
    '&lt;',
    '<!--',
    'my_page',
    '3.5',
    'Shop',
    'ž',
    '🔥',
  ],
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string({ maxLength: 5, unit: 'grapheme' })), { maxLength: 8 })
  .map((parts) => parts.join(''));

/** Messages of which all that a user or a page can write is hostile. */
const messages = fc
  .tuple(fc.constantFrom(problemMessage, recoveryMessage), hostile, hostile, fc.array(hostile, { maxLength: 5 }))
  .map(([message, title, name, failures]): Message => {
    const items = message.items.map((item) => ({ ...item, name, failures }));
    return { ...message, project: { ...message.project, title }, items };
  });

const EVIDENCE = problemMessage.items[0]?.evidence ?? '';
/** Without the address of the evidence, which is ours. */
const withoutEvidence = (text: string): string => text.replaceAll(` <${EVIDENCE}|Evidence>`, '').replaceAll(EVIDENCE, '');

/** What programs make a link of by themselves. */
const ADDRESS = /\w:\/\/|[\p{L}\p{N}]\.\p{L}/u;

const holds = (look: (message: Message) => void): void => {
  fc.assert(
    fc.property(messages, (message) => {
      look(message);
    }),
    { numRuns: 200 },
  );
};

describe('hostile names and findings', () => {
  it('add no formatting, emoji, mention or link in Slack', () => {
    holds((message) => {
      const icon = message.kind === 'problem' ? ':fire: ' : ':coffee: ';
      expect(slackText(message)).toContain(` <${EVIDENCE}|Evidence>`);
      const text = withoutEvidence(slackText(message));
      expect(text.startsWith(`${icon}<https://shop.example|`)).toBe(true);
      const rest = text.slice(icon.length).replace(/^<https:\/\/shop\.example\|([^<>|]*)>:/, 'project $1\n');
      expect(rest).not.toMatch(/[<>`*~]/);
      expect(rest).not.toMatch(/(?:^|[^\p{L}\p{N}])_|_(?:$|[^\p{L}\p{N}])/u);
      expect(rest).not.toMatch(/^\s*&gt;/m);
      expect(rest).not.toMatch(/:[\w+'-]*[a-z][\w+'-]*:/i);
      expect(rest).not.toMatch(/[@#][\p{L}\p{N}]/u);
      expect(rest.slice(rest.indexOf('\n'))).not.toMatch(ADDRESS);
    });
  });

  it('add no element, attribute or link in mail', () => {
    const shapeOf = (html: string): { readonly elements: readonly string[]; readonly text: string } => {
      const elements: string[] = [];
      let text = '';
      const walk = (node: DefaultTreeAdapterTypes.ParentNode): void => {
        for (const child of node.childNodes) {
          if (defaultTreeAdapter.isTextNode(child)) text += child.value;
          if (!defaultTreeAdapter.isElementNode(child)) continue;
          elements.push(`${child.tagName} ${child.attrs.map(({ name, value }) => `${name}=${value}`).join(' ')}`);
          if (child.tagName !== 'a') walk(child);
        }
      };
      walk(parse(html));
      return { elements, text };
    };
    holds((message) => {
      const plainly = message.kind === 'problem' ? problemMessage : recoveryMessage;
      const { elements, text } = shapeOf(emailHtml(compose(message), message));
      expect(elements).toEqual(shapeOf(emailHtml(compose(plainly), plainly)).elements);
      expect(text).not.toMatch(ADDRESS);
      // oxlint-disable-next-line no-control-regex -- that there is none is the point
      expect(compose(message).title).not.toMatch(/[\u0000-\u001f\u2028\u2029\u202e]/);
    });
  });

  it('add no field and no link in Pushover and Pushbullet', () => {
    holds((message) => {
      const form = new URLSearchParams(pushoverForm('user', 'token', message));
      expect([...form.keys()]).toEqual(['token', 'user', 'title', 'message', 'priority', 'timestamp', 'url']);
      expect(form.get('url')).toBe('https://shop.example');
      expect(form.get('message')).toContain(EVIDENCE);
      expect(withoutEvidence(`${form.get('title') ?? ''}\n${form.get('message') ?? ''}`)).not.toMatch(ADDRESS);
      const { type, title, body, url, ...rest } = JSON.parse(pushbulletBody(message)) as Readonly<Record<string, string>>;
      expect([type, url, Object.keys(rest)]).toEqual(['link', 'https://shop.example', ['guid']]);
      expect(body).toContain(EVIDENCE);
      expect(withoutEvidence(`${title ?? ''}\n${body ?? ''}`)).not.toMatch(ADDRESS);
    });
  });

  it('add no link in the plain text and the subject of a mail', () => {
    holds((message) => {
      const { subject, text } = composeMail('a@example.test', message);
      expect(text.split('\n')).toContain('https://shop.example');
      expect(text.split('\n')).toContain(`Evidence: ${EVIDENCE}`);
      expect(withoutEvidence(`${subject}\n${text.replace('\nhttps://shop.example\n', '\n')}`)).not.toMatch(ADDRESS);
    });
  });

  it('add no link in PagerDuty and Web Push, and stay unchanged in webhooks', () => {
    holds((message) => {
      const { links, payload } = JSON.parse(trigger('key', message)) as {
        readonly links: readonly { readonly href: string; readonly text: string }[];
        readonly payload: { readonly summary: string; readonly custom_details: { readonly lines: readonly string[] } };
      };
      expect(links.map(({ href }) => href)).toEqual(['https://shop.example', EVIDENCE]);
      expect([payload.summary, ...payload.custom_details.lines, ...links.map(({ text }) => text)].join('\n')).not.toMatch(ADDRESS);
      const { url, title, body, evidence } = JSON.parse(pushPayload(message)) as Readonly<Record<string, string>>;
      expect([url, evidence]).toEqual(['https://shop.example', EVIDENCE]);
      expect(`${title ?? ''}\n${body ?? ''}`).not.toMatch(ADDRESS);
      const { data } = JSON.parse(webhookBody(message)) as { readonly data: { readonly items: readonly object[] } };
      expect(data.items).toEqual(message.items.map(({ name, failures }) => expect.objectContaining({ name, failures }) as object));
    });
  });
});
