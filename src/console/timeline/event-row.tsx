import type { Schemas } from '../../client.ts';
import { Link } from '../frame/link.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { preciseClockOf, shortOf, utcOf, localInstants } from '../time/instants.ts';
import { glyphOfEvent, hasEvidence } from './event-kinds.ts';
import { serverNow } from '../time/server-clock.ts';

export type HistoryEvent = Schemas['Event'];

interface EventRowProps {
  readonly event: HistoryEvent;
  readonly projectId: string;
  /** The instant that times are shown relative to, when no heading names the day. */
  readonly seenAt?: number;
}

/** An event as a sentence: who, what and why it is known. */
export function EventRow({ event, projectId, seenAt }: EventRowProps) {
  const { actor, recordedAt, summary, type, id } = event;
  const glyph = glyphOfEvent(type);
  const isOfPerson = actor.kind === 'user' || actor.kind === 'token' || actor.kind === 'service';
  const at = Date.parse(recordedAt);
  return (
    <li>
      <time dateTime={recordedAt} title={utcOf(at)}>
        {seenAt === undefined ? preciseClockOf(at) : shortOf(at, seenAt)}
      </time>
      <span class="event-glyph">{glyph !== null && <Glyph state={glyph} />}</span>
      <span class="grow">
        {isOfPerson && <strong>{actor.name ?? `account ${actor.id}`}: </strong>}
        <Link to={['projects', projectId, 'events', id]} class="plain">
          {localInstants(summary, seenAt ?? serverNow())}
        </Link>{' '}
        {actor.kind === 'token' && <span class="tag">by token</span>}
        {actor.kind === 'service' && <span class="tag">service account</span>}
        {hasEvidence(type) && <Link to={['projects', projectId, 'events', id]}>evidence</Link>}
      </span>
    </li>
  );
}
