import { yesOrNo } from '../../platform/http/validation/fields.ts';
import { Input, Required } from '../../platform/http/validation/input.ts';
import { asText, json, may, type Operation, type Operations, takes, why } from '../../platform/http/description/operation.ts';
import { flag, named, orNull, record, text } from '../../platform/http/description/schema.ts';
import { atInstant, ID, idPath, theme } from '../../platform/http/description/vocabulary.ts';

@Input('BadgeSwitch', 'Whether the badge is published')
export class SwitchBadgeDto {
  @Required(yesOrNo('Switching it off ends the link for good')) enabled!: boolean;
}

const startRefused = { 405: { why: '`start` cannot be read or is later than `end`', schema: 'StartError' } } as const;
const picture = (id: string, summary: string): Operation => ({
  id,
  tag: 'Uptime',
  summary,
  path: idPath,
  query: { start: may(atInstant('Start')), end: may(atInstant('End; missing: now')), theme },
  answer: asText('image/svg+xml', 'A picture'),
  refusals: startRefused,
});

const badgeSchema = named(
  'Badge',
  record('The public link of the badge', {
    enabled: flag('Whether the badge is published'),
    url: orNull(
      text('The link; null when the badge is not published', {
        format: 'uri',
        examples: [`https://watchledger.example/api/project/${ID}/badge.svg?key=0f3c5a6b7d8e9f001122334455667788`],
      }),
    ),
  }),
);

export const chartOperations: Operations = {
  'GET /project/:id/uptime.svg': picture('drawUptime', 'Uptime of the last 30 days as a picture'),
  'GET /project/:id/responseTimes.svg': picture('drawResponseTimes', 'Response times of the last 7 days as a picture'),
  'GET /project/:id/badge.svg': {
    id: 'drawBadge',
    tag: 'Uptime',
    summary: 'Badge to embed in other pages',
    path: idPath,
    description: 'The key in its link authorises the request.',
    query: { key: may(text('As in the link')), theme },
    answer: asText('image/svg+xml', 'A picture'),
    refusals: { 404: why('The badge does not exist') },
  },
  'GET /project/:id/badge': {
    id: 'getBadge',
    tag: 'Uptime',
    summary: 'Read the public link of the badge',
    path: idPath,
    answer: json(badgeSchema),
  },
  'PUT /project/:id/badge': {
    id: 'switchBadge',
    tag: 'Uptime',
    summary: 'Publish the badge, or withdraw it',
    path: idPath,
    body: takes(SwitchBadgeDto, { enabled: true }),
    answer: json(badgeSchema),
  },
};
