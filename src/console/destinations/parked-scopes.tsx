import { Link } from '../frame/link.tsx';
import { LoadedList } from '../parts/loaded-list.tsx';
import { useLoaded } from '../service/use-loaded.ts';
import { fullOf, spanOf } from '../time/instants.ts';
import type { DestinationCalls } from './destination-calls.ts';

interface ParkedScopesProps {
  readonly calls: DestinationCalls;
  readonly destinationId: string;
  readonly name: string;
  readonly count: number;
}

/** The dead letters of a destination: projects and accounts whose events were refused for 72 hours, and wait until it is resumed. */
export function ParkedScopes({ calls, destinationId, name, count }: ParkedScopesProps) {
  const parked = useLoaded(`${destinationId} ${String(count)}`, (signal) => calls.parked(destinationId, signal));
  return (
    <LoadedList what={`What is parked in ${name}`} loaded={parked} none="Nothing is parked.">
      {(scopes) => (
        <ul class="parked" aria-label={`Parked in ${name}`}>
          {scopes.map(({ scope, position, batchEnd, attempts, failingSince, parkedAt, answer }) => {
            const projectId = /^project-([0-9a-f]{24})$/.exec(scope)?.[1];
            const failedFor = Date.parse(parkedAt) - Date.parse(failingSince);
            return (
              <li key={scope}>
                <p>
                  {projectId === undefined ? scope : <Link to={['projects', projectId]}>{scope}</Link>}: the events from{' '}
                  {String(Number(position) + 1)} to {batchEnd} were refused {attempts === 1 ? 'once' : `${String(attempts)} times`} in{' '}
                  {spanOf(failedFor)}. <span class="problem">{answer}</span>
                </p>
                <p class="soft">
                  parked {fullOf(Date.parse(parkedAt))}; <em>Resume</em> pushes it again
                </p>
              </li>
            );
          })}
        </ul>
      )}
    </LoadedList>
  );
}
