import { asText, json, may, type Operation, type Operations, why } from '../description/operation.ts';
import { flag, orNull, record, ref, text } from '../description/schema.ts';
import { atInstant, ID, idPath, theme } from '../description/vocabulary.ts';

const startRefused = { 405: { why: '`start` cannot be read or lies after the end', schema: 'StartError' } } as const;
const picture = (id: string, summary: string): Operation => ({
  ...{ id, tag: 'Uptime', summary, path: idPath },
  query: { start: may(atInstant('Start')), end: may(atInstant('End; now when it is missing')), theme },
  answer: asText('image/svg+xml', 'A picture'),
  refusals: startRefused,
});

export const badgeSchemas = {
  Badge: record('The public link of the badge', {
    enabled: flag('Whether there is one'),
    url: orNull(text('The link; null: there is none', { format: 'uri' })),
  }),
  BadgeSwitch: record('Publish it or not', { enabled: flag('Switching it off ends the link for good') }),
};

const badge = { enabled: true, url: `https://watchledger.example/api/project/${ID}/badge.svg?key=0f3c5a6b7d8e9f001122334455667788` };

export const chartOperations: Operations = {
  'GET /project/:id/uptime.svg': picture('drawUptime', 'Uptime of the last 30 days as a picture'),
  'GET /project/:id/responseTimes.svg': picture('drawResponseTimes', 'Response times of the last 7 days as a picture'),
  'GET /project/:id/badge.svg': {
    ...{ id: 'drawBadge', tag: 'Uptime', summary: 'Badge for pages of others', path: idPath },
    description: 'The key in its link is the right to see it.',
    query: { key: may(text('As in the link')), theme },
    answer: asText('image/svg+xml', 'A picture'),
    refusals: { 404: why('There is no such badge') },
  },
  'GET /project/:id/badge': {
    ...{ id: 'getBadge', tag: 'Uptime', summary: 'Public link of the badge', path: idPath },
    answer: json(ref('Badge'), badge),
  },
  'PUT /project/:id/badge': {
    ...{ id: 'switchBadge', tag: 'Uptime', summary: 'Publish the badge, or not', path: idPath },
    body: { schema: ref('BadgeSwitch'), example: { enabled: true } },
    answer: json(ref('Badge'), badge),
  },
};
