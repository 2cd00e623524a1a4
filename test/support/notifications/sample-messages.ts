import type { Message, MessageItem } from '../../../src/alerts/composing/message.ts';

const check: MessageItem = {
  about: 'check',
  checkId: '65f000000000000000000001',
  name: 'Homepage',
  status: 'error',
  failures: ['expected status 200, got 503'],
  url: 'https://shop.example/',
  since: '2026-03-01T10:00:00.000Z',
  at: '2026-03-01T10:00:20.000Z',
  location: 'eu',
  milliseconds: 3_012,
  evidence: 'https://watch.example/console/projects/65f000000000000000000000/events/33333333-3333-5333-8333-333333333333',
};
const project = { id: '65f000000000000000000000', title: 'Shop & Co', url: 'https://shop.example' };

export const problemMessage: Message = {
  id: '11111111-1111-5111-8111-111111111111',
  kind: 'problem',
  project,
  items: [check],
  zone: 'Europe/Prague',
  at: '2026-03-01T10:00:21.000Z',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  answers: [],
};

export const recoveryMessage: Message = {
  ...problemMessage,
  id: '22222222-2222-5222-8222-222222222222',
  kind: 'recovery',
  items: [{ ...check, status: 'ok', failures: [], until: '2026-03-01T10:05:20.000Z', at: '2026-03-01T10:05:20.000Z' }],
  answers: [{ id: problemMessage.id, over: true }],
};

const site = { name: '', url: 'https://shop.example', since: check.since, at: check.at, location: 'eu' } as const;

/** Every kind of message, and hostile text in names. */
export const messageTable: Readonly<Record<string, Message>> = {
  'a check fails': problemMessage,
  'a check recovers': recoveryMessage,
  'a check times out': { ...problemMessage, items: [{ ...check, status: 'timeout', failures: ['no whole answer within 3 s'] }] },
  'many failures of one check': {
    ...problemMessage,
    items: [{ ...check, failures: ['expected title "Shop", got "Error"', 'expected text "Welcome"', 'expected h1', 'expected footer'] }],
  },
  'a flood': { ...problemMessage, items: Array.from({ length: 60 }, (_, n) => ({ ...check, name: `Page ${String(n + 1)}` })) },
  'the site is down': {
    ...problemMessage,
    items: [{ ...site, about: 'uptime', status: 'error', failures: ['connection refused'], milliseconds: 4 }],
  },
  'the site is up': {
    ...recoveryMessage,
    items: [{ ...site, about: 'uptime', status: 'ok', failures: [], until: '2026-03-03T13:20:00.000Z', milliseconds: 120 }],
  },
  'a certificate ends soon': {
    ...problemMessage,
    items: [
      { ...site, about: 'certificate', status: 'error', failures: ['the certificate of shop.example expires in 8 days, on 2026-03-10'] },
    ],
  },
  'a redirect fails': {
    ...problemMessage,
    items: [
      {
        ...site,
        about: 'redirect',
        status: 'error',
        failures: ['expected the http address to lead to https, it ends on http://shop.example/'],
      },
    ],
  },
  'names that want to be more than names': {
    ...problemMessage,
    project: { ...project, title: '<!channel> <b>\r\nBcc: all@example.test 🔥\u202egnp.exe' },
    items: [{ ...check, name: 'متجر | <https://evil.example|click>', failures: ['expected "&amp;", got "<script>alert(1)</script>"'] }],
  },
  'a test': { ...problemMessage, kind: 'test', items: [] },
};
