import type { Schemas } from '../../client.ts';
import { Link } from '../frame/link.tsx';
import { hostOf } from '../overview/line.tsx';
import { Glyph } from '../parts/glyph.tsx';
import type { GlyphState } from '../parts/glyph-state.ts';
import { shortOf } from '../time/instants.ts';

type Test = Schemas['Test'];

const STATES: Readonly<Record<string, GlyphState>> = { ok: 'working', error: 'failing', timeout: 'failing' };

interface ChecksProps {
  readonly id: string;
  readonly tests: readonly Test[];
  readonly now: number;
  /** In the present, with the right to. */
  readonly mayAdd: boolean;
}

/** The checks with their last result; failing ones first. */
export function Checks({ id, tests, now, mayAdd }: ChecksProps) {
  const sorted = tests.toSorted((one, other) => Number(isFailing(other)) - Number(isFailing(one)));
  return (
    <section class="section" aria-labelledby="checks">
      <h2 id="checks">Checks</h2>
      {tests.length === 0 ? (
        <p class="soft">This site has no checks: only its uptime and its certificate are watched.</p>
      ) : (
        <ul class="rows-list">
          {sorted.map((test) => (
            <li key={test.id}>
              <Glyph state={test.enabled ? (STATES[test.status.status] ?? 'unknown') : 'unknown'} />
              <span class="check-name">
                <Link to={['projects', id, 'checks', test.id]}>{test.name === '' ? hostOf(test.url) : test.name}</Link>
              </span>
              <span class={`grow ${isFailing(test) ? 'problem' : 'soft'}`}>{resultOf(test)}</span>
              {test.status.lastRun > 0 && (
                <time dateTime={new Date(test.status.lastRun * 1000).toISOString()}>{shortOf(test.status.lastRun * 1000, now)}</time>
              )}
            </li>
          ))}
        </ul>
      )}
      {mayAdd && (
        <p>
          <Link to={['projects', id, 'checks', 'new']}>Add a check</Link>
        </p>
      )}
    </section>
  );
}

const isFailing = ({ enabled, status }: Test): boolean => enabled && (status.status === 'error' || status.status === 'timeout');

function resultOf({ enabled, status, rules, run }: Test): string {
  if (!enabled) return 'switched off';
  if (run === 'running') return 'running …';
  const [failure] = status.failures;
  if (failure !== undefined) return failure;
  if (status.status === 'unknown') return 'not run yet';
  return rules.length === 0 ? 'answers' : `${String(rules.length)} ${rules.length === 1 ? 'rule holds' : 'rules hold'}`;
}
