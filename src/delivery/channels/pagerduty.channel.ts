import { compose } from '../composing/compose.ts';
import { type Message, statusOf } from '../composing/message.ts';
import { oneLine, shortened } from '../composing/words.ts';
import type { Channel, DeliveryOutcome, Outside } from './channel.ts';
import { outcomeOf } from './outcome-of.ts';
import { plainKey, readFields } from './read-settings.ts';

const SUMMARY = 1024;
const SHOWN_LINES = 100;

export function trigger(routingKey: string, message: Message): string {
  const { title, lines } = compose(message);
  return JSON.stringify({
    routing_key: routingKey,
    event_action: 'trigger',
    dedup_key: message.id,
    payload: {
      summary: shortened(`${title}. ${lines[0] ?? ''}`, SUMMARY),
      source: message.project.url,
      severity: statusOf(message) === 'timeout' ? 'warning' : message.kind === 'test' ? 'info' : 'error',
      timestamp: message.at,
      custom_details: { lines: lines.slice(0, SHOWN_LINES), total: lines.length },
    },
    links: [{ href: message.project.url, text: oneLine(message.project.title, 120) }],
  });
}

export const resolve = (routingKey: string, dedupKey: string): string =>
  JSON.stringify({ routing_key: routingKey, event_action: 'resolve', dedup_key: dedupKey });

/** A message is an incident: it is resolved when everything that it told of is well again. A repeat is recognised by its key. */
async function deliver(routingKey: string, message: Message, { post, pagerdutyUrl: url }: Outside): Promise<DeliveryOutcome> {
  const send = async (body: string): Promise<DeliveryOutcome> =>
    outcomeOf(await post({ url, body, headers: { 'content-type': 'application/json' } }));
  if (message.kind === 'problem') return send(trigger(routingKey, message));
  if (message.kind === 'test') {
    const outcome = await send(trigger(routingKey, message));
    if (outcome.kind === 'delivered') await send(resolve(routingKey, message.id));
    return outcome;
  }
  let outcome: DeliveryOutcome = { kind: 'delivered', answer: 'nothing to resolve yet: other failures of the incident go on' };
  for (const { id, over, settings } of message.answers) {
    if (!over) continue;
    // Nobody else knows the incident: another key may have been set since.
    outcome = await send(resolve(settings?.['routingKey'] ?? routingKey, id));
    if (outcome.kind !== 'delivered') return outcome;
  }
  return outcome;
}

export const pagerdutyChannel: Channel = {
  parallel: 8,
  staysOpen: true,
  read: (given) => readFields(given, { routingKey: plainKey('the integration key of a service') }),
  deliver: ({ routingKey = '' }, message, outside) => deliver(routingKey, message, outside),
};
