import { Glyph } from '../parts/glyph.tsx';
import type { GlyphState } from '../parts/glyph-state.ts';
import { LoadedList } from '../parts/loaded-list.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';

const STATES: Readonly<Record<'ok' | 'warn' | 'fail', GlyphState>> = { ok: 'working', warn: 'warning', fail: 'failing' };

/** What the doctor finds on the instance that answers: what is wrong first. */
export function Findings() {
  const loaded = useLoaded('', async (signal) => {
    const { findings } = (await service.get('/ops/doctor', { signal })).data;
    return findings.toSorted((one, other) => Number(one.state === 'ok') - Number(other.state === 'ok'));
  });
  const wrong = loaded.value?.filter(({ state }) => state !== 'ok').length ?? 0;
  return (
    <section class="section" aria-labelledby="doctor">
      <h2 id="doctor">
        What the doctor finds{' '}
        {loaded.value !== undefined && (
          <span class="chart-legend">
            {wrong === 0 ? 'all is well' : `${String(wrong)} of ${String(loaded.value.length)} ${wrong === 1 ? 'needs' : 'need'} attention`}
          </span>
        )}
      </h2>
      <LoadedList what="The doctor" loaded={loaded} none="Nothing was examined.">
        {(findings) => (
          <ul class="rows-list">
            {findings.map(({ name, state, found, advice }) => (
              <li key={name}>
                <Glyph state={STATES[state]} />
                <div class="grow">
                  <p>
                    <strong>{name}</strong> {found}
                  </p>
                  {advice !== null && <p class="soft">{advice}</p>}
                </div>
              </li>
            ))}
          </ul>
        )}
      </LoadedList>
    </section>
  );
}
