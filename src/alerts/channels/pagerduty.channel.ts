import { compose, evidenceOf } from '../composing/compose.ts';
import { type Message, worstStatus } from '../composing/message.ts';
import { oneLine } from '../composing/words.ts';
import { unlinked } from '../../platform/mail/html.ts';
import { shortened } from '../../kernel/text.ts';
import type { Channel, Transports } from './channel.ts';
import { outcomeOfReply, type DeliveryOutcome } from './post.ts';
import { tokenField, parseFields } from './parse-settings.ts';

const MAX_SUMMARY = 1024;
const SHOWN_LINES = 100;
const SHOWN_LINKS = 20;

export function trigger(routingKey: string, message: Message): string {
  const { title, lines } = compose(message);
  const evidence = evidenceOf(message)
    .flatMap((href) => (href === null ? [] : [{ href, text: 'Evidence' }]))
    .slice(0, SHOWN_LINKS);
  return JSON.stringify({
    routing_key: routingKey,
    event_action: 'trigger',
    dedup_key: message.id,
    payload: {
      summary: shortened(unlinked(`${title}. ${lines[0] ?? ''}`), MAX_SUMMARY),
      source: message.project.url,
      severity: worstStatus(message) === 'timeout' ? 'warning' : message.kind === 'test' ? 'info' : 'error',
      timestamp: message.at,
      custom_details: { lines: lines.slice(0, SHOWN_LINES).map(unlinked), total: lines.length },
    },
    links: [{ href: message.project.url, text: oneLine(unlinked(message.project.title), 120) }, ...evidence],
  });
}

export const resolveEvent = (routingKey: string, dedupKey: string): string =>
  JSON.stringify({ routing_key: routingKey, event_action: 'resolve', dedup_key: dedupKey });

/** One message is one incident, resolved once everything it reported has recovered. PagerDuty drops a repeat by its `dedup_key`. */
async function deliver(routingKey: string, message: Message, { postToService, pagerdutyUrl: url }: Transports): Promise<DeliveryOutcome> {
  const send = async (body: string): Promise<DeliveryOutcome> =>
    outcomeOfReply(await postToService({ url, body, headers: { 'content-type': 'application/json' } }));
  if (message.kind === 'problem') return send(trigger(routingKey, message));
  if (message.kind === 'test') {
    const outcome = await send(trigger(routingKey, message));
    if (outcome.kind === 'delivered') await send(resolveEvent(routingKey, message.id));
    return outcome;
  }
  let outcome: DeliveryOutcome = { kind: 'delivered', answer: 'nothing to resolve yet: other failures of the incident continue' };
  for (const { id, over, settings } of message.answers) {
    if (!over) continue;
    // The incident exists under the key that opened it; the recipient may have changed it since.
    outcome = await send(resolveEvent(settings?.['routingKey'] ?? routingKey, id));
    if (outcome.kind !== 'delivered') return outcome;
  }
  return outcome;
}

export const pagerdutyChannel: Channel = {
  maxConcurrent: 8,
  opensIncidents: true,
  parseSettings: (given) => parseFields(given, { routingKey: tokenField('the integration key of a service') }),
  deliver: ({ routingKey = '' }, message, transports) => deliver(routingKey, message, transports),
};
