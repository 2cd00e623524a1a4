import { expect, it } from '@jest/globals';
import { alertsSentence } from './sentence.ts';

const AT = '2026-11-26T13:58:21.000Z';
const NOW = Date.parse(AT);
const clock = (at: number): string => new Date(at).toISOString().slice(11, 19);
const none = { delivered: 0, deliveredAt: null, underWay: 0, givenUp: 0, due: null, recipients: 1, fromFirst: false };
const about = (alerts: Partial<Parameters<typeof alertsSentence>[0]>) => alertsSentence({ ...none, ...alerts }, NOW, clock);

it('says whether people know of a failure', () => {
  expect(about({ delivered: 1, deliveredAt: AT, underWay: 1 }).words).toBe('1 alert delivered by 13:58:21, 1 alert under way.');
  expect(about({ delivered: 2, deliveredAt: AT, due: '2026-11-26T14:00:20.500Z' }).words).toBe(
    '2 alerts delivered by 13:58:21, the next leaves at 14:00:20.',
  );
  expect(about({ givenUp: 1 }).words).toBe('1 alert given up.');
});

it('says why there was none, or when there will be', () => {
  expect(about({}).words).toBe('No alert was sent.');
  expect(about({ due: '2026-11-26T14:00:20.500Z' }).words).toBe('The alert leaves at 14:00:20.');
  expect(about({ due: AT }).words).toBe('The alert is about to leave.');
  expect(about({ fromFirst: true, recipients: 0 }).words).toBe('No alert was sent: it fails since its first measurement.');
  expect(about({ recipients: 0 }).words).toBe('No alert was sent: nobody is to be alerted.');
  expect(about({ recipients: null }).words).toBe('No alert was sent.');
});

it('is a problem where every alert was given up', () => {
  expect(about({ givenUp: 1 }).isProblem).toBe(true);
  expect(about({ givenUp: 1, delivered: 1, deliveredAt: AT }).isProblem).toBe(false);
  expect(about({}).isProblem).toBe(false);
});
