import { shownInstant } from '../frame/address.ts';
import { Link } from '../frame/link.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { preciseClockOf } from '../time/instants.ts';
import { alertsSentence } from './alerts-sentence.ts';

interface AlertedProps {
  readonly projectId: string;
  readonly eventId: string;
  readonly round: number;
}

/** Whether people know of a failure: what its event caused. */
export function Alerted({ projectId, eventId, round }: AlertedProps) {
  const at = shownInstant.value;
  const { value } = useLoaded(
    `${projectId} ${eventId} ${String(at)}`,
    async (signal) => {
      const { data } = await service.get('/project/{id}/history/{eventId}/chain', { path: { id: projectId, eventId }, signal });
      // A chain has no end: what came after the instant that is shown is not known there.
      return data.events.filter(({ recordedAt }) => at === null || Date.parse(recordedAt) <= at);
    },
    round,
  );
  if (value === undefined) return null;
  const { words, isProblem } = alertsSentence(value, preciseClockOf);
  return (
    <>
      {' · '}
      <Link to={['projects', projectId, 'events', eventId]} class={isProblem ? 'problem' : 'plain'}>
        {words}
      </Link>
    </>
  );
}
