import type { Schemas } from '../../client.ts';
import { shownInstant } from '../frame/address.ts';
import { Link } from '../frame/link.tsx';
import { channelTable } from '../../alerts/preferences/preference.settings.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Glyph } from '../parts/glyph.tsx';
import type { GlyphState } from '../parts/glyph-state.ts';
import { LoadedList } from '../parts/states.tsx';
import { asOfShown, service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { shortOf, utcOf } from '../time/instants.ts';
import { serverNow } from '../time/server-clock.ts';

const SHOWN = 20;

/** The last messages to the account: which channel took them, and what it answered. */
export function Deliveries() {
  const at = shownInstant.value;
  const loaded = useLoaded(String(at), async (signal) => {
    const { data } = await service.get('/account/deliveries', { query: { limit: SHOWN, ...asOfShown() }, signal });
    return data.deliveries;
  });
  return (
    <section class="section" aria-labelledby="deliveries">
      <h2 id="deliveries">Messages to you</h2>
      <LoadedList what="Messages" loaded={loaded} none="None yet: alerts are sent when something fails.">
        {(deliveries) => (
          <ul class="rows-list">
            {deliveries.map((delivery) => (
              <Row key={delivery.id} delivery={delivery} now={at ?? serverNow()} isNow={at === null} reload={loaded.reload} />
            ))}
          </ul>
        )}
      </LoadedList>
    </section>
  );
}

const STATES: Readonly<Record<Schemas['Delivery']['status'], GlyphState>> = { delivered: 'working', failed: 'failing', waiting: 'unknown' };
const KINDS: Readonly<Record<Schemas['Delivery']['kind'], string>> = {
  problem: 'failure',
  recovery: 'recovery',
  withdrawal: 'withdrawal',
  report: 'weekly report',
  notice: 'notice about your account',
};

interface RowProps {
  readonly delivery: Schemas['Delivery'];
  readonly now: number;
  readonly isNow: boolean;
  readonly reload: () => void;
}

function Row({ delivery: { id, projectId, channel, kind, status, attempts, answer, createdAt, nextTry }, now, isNow, reload }: RowProps) {
  const retry = async (): Promise<undefined> => {
    await service.post('/account/deliveries/{id}/retry', { path: { id } });
    reload();
  };
  const at = Date.parse(createdAt);
  return (
    <li class="wrap">
      <Glyph state={STATES[status]} />
      <time dateTime={createdAt} title={utcOf(at)}>
        {shortOf(at, now)}
      </time>
      <span class="grow">
        {projectId === null ? KINDS[kind] : <Link to={['projects', projectId]}>{KINDS[kind]}</Link>} over {channelTable[channel].name},{' '}
        {status}
        <span class="soft">
          {attempts > 1 && ` after ${String(attempts)} attempts`}
          {answer !== null && `: ${answer}`}
          {nextTry !== null && status === 'waiting' && `, next attempt ${shortOf(Date.parse(nextTry), now)}`}
        </span>
      </span>
      {isNow && status === 'failed' && (
        <div class="actions tight">
          <ActionButton label="Send again" about={`the ${KINDS[kind]} of ${shortOf(at, now)}`} run={retry} />
        </div>
      )}
    </li>
  );
}
