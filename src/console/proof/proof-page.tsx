import { ApiError, type Schemas } from '../../client.ts';
import { address, setQuery, shownInstant } from '../frame/address.ts';
import { useEvery } from '../frame/use-every.ts';
import { Glyph } from '../parts/glyph.tsx';
import { Failed, PageState } from '../parts/states.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { monthsSince, monthText } from './months.ts';
import { VerifyFile } from './verify-file-form.tsx';
import { serverNow } from '../time/server-clock.ts';
import { browserPlatform } from '../../client/verify/browser-platform.ts';
import { keysThatSigned } from '../../client/verify/note-signatures.ts';

/** The seal is read again after this time until a new installation has its first checkpoint. */
const FIRST_SEAL_MS = 5_000;

/** The seal of the log, statements of past months, and files that are verified in the browser. */
export function ProofPage() {
  const { value, error, reload } = useLoaded('seal', loadSeal);
  useEvery(FIRST_SEAL_MS, value?.checkpoint === null, reload);
  if (value === undefined) return <PageState what="The seal" error={error} retry={reload} />;
  const { keys, checkpoint } = value;
  return (
    <main class="page">
      <h1>{sealSentence(checkpoint)}</h1>
      <p class="soft">
        {checkpoint !== null && <Glyph state={checkpoint.isSigned ? 'working' : 'failing'} />} {signatureSentence(checkpoint)}
      </p>
      {shownInstant.value !== null && (
        <p class="soft">The seal is that of now, which covers every earlier event; statements reach back to any month.</p>
      )}
      {checkpoint !== null && (
        <section class="section" aria-labelledby="checkpoint">
          <h2 id="checkpoint">Last checkpoint</h2>
          <pre class="data" tabIndex={0} aria-label="Checkpoint">
            {checkpoint.text}
          </pre>
          <dl class="facts">
            <dt>Log</dt>
            <dd class="mono">{checkpoint.origin}</dd>
            <dt>Keys</dt>
            <dd class="mono">{keys.join('\n')}</dd>
          </dl>
          <p class="soft">
            Keep a checkpoint and the keys outside of this service: with them <code>watchledger verify</code> proves later that nothing was
            changed before it.
          </p>
        </section>
      )}
      <Statements />
      <VerifyFile keys={keys} />
    </main>
  );
}

function sealSentence(checkpoint: ShownSeal['checkpoint']): string {
  if (checkpoint === null) return 'Nothing has been sealed yet.';
  return checkpoint.isSigned
    ? `${checkpoint.size.toLocaleString('en')} events are sealed.`
    : 'The seal is not signed by its published key.';
}

function signatureSentence(checkpoint: ShownSeal['checkpoint']): string {
  if (checkpoint === null) return 'The first checkpoint appears here as soon as it is signed.';
  const { isSigned, witnesses } = checkpoint;
  if (!isSigned) return 'Do not rely on proofs of this service until an operator has looked at it.';
  const signers = witnesses.length === 0 ? 'No witness has signed it.' : `Witnesses: ${witnesses.join(', ')}.`;
  return `The signature of the last checkpoint was verified in this browser. ${signers}`;
}

/** The first ones by title, and the one that a link names. */
async function readSites(
  site: string | null,
  signal: AbortSignal,
): Promise<readonly Pick<Schemas['Project'], 'id' | 'title' | 'created'>[]> {
  const query = { limit: 100, sort: 'title', fields: 'id,title,created' } as const;
  const { projects } = (await service.get('/projects', { query, signal })).data;
  if (site === null || projects.some(({ id }) => id === site)) return projects;
  return [(await service.get('/project/{id}', { path: { id: site }, signal })).data, ...projects];
}

function Statements() {
  const site = address.value.query.get('site');
  const { value, error, reload } = useLoaded(`projects ${String(site)}`, (signal) => readSites(site, signal));
  if (error !== undefined) return <Failed what="The sites" error={error} retry={reload} />;
  if (value === undefined) return null;
  const chosen = value.find(({ id }) => id === site) ?? value[0];
  if (chosen === undefined) return null;
  const { id } = chosen;
  return (
    <section class="section" aria-labelledby="statements">
      <h2 id="statements">
        Statements <span class="chart-legend">by UTC month; that of the current month ends now</span>
      </h2>
      <label class="search-field">
        Site
        <select value={id} onChange={(event) => setQuery('site', event.currentTarget.value)}>
          {value.map(({ id: each, title }) => (
            <option key={each} value={each}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <p class="soft whole-history">
        The whole history with its proofs, to keep elsewhere: <a href={`/api/project/${id}/history/export`}>an export of {chosen.title}</a>
      </p>
      <ul class="rows-list">
        {monthsSince(chosen.created, serverNow()).map((month) => (
          <li key={month}>
            <span class="grow">{monthText(month)}</span>
            <a href={`/api/project/${id}/statement?month=${month}&format=html`}>
              Read <span class="hidden">the statement of {monthText(month)}</span>
            </a>
            <a href={`/api/project/${id}/statement?month=${month}&format=json`} download={`statement-${month}.json`}>
              File to verify <span class="hidden">of {monthText(month)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface CheckedCheckpoint {
  readonly origin: string;
  readonly size: number;
  readonly text: string;
  /** Names of those that signed beside the log itself. */
  readonly witnesses: readonly string[];
  /** Whether a published key signed it. */
  readonly isSigned: boolean;
}

interface ShownSeal {
  readonly keys: readonly string[];
  /** Null when nothing has been sealed yet. */
  readonly checkpoint: CheckedCheckpoint | null;
}

/** The published keys, and the last checkpoint with its signatures verified in the browser. */
async function loadSeal(signal: AbortSignal): Promise<ShownSeal> {
  const [text, published] = await Promise.all([checkpointText(signal), service.get('/ledger/key', { signal })]);
  const keys = published.data.split('\n').filter((line) => line.includes('+'));
  return { keys, checkpoint: text === null ? null : checked(text, keys) };
}

async function checkpointText(signal: AbortSignal): Promise<string | null> {
  try {
    return (await service.get('/ledger/checkpoint', { signal })).data;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

function checked(text: string, keys: readonly string[]): CheckedCheckpoint {
  const [origin = '', size = ''] = text.split('\n');
  const names = [...text.matchAll(/^\u2014 (\S+) /gm)].map(([, name = '']) => name);
  return {
    origin,
    size: Number(size),
    text,
    witnesses: names.filter((name) => name !== origin),
    isSigned: keysThatSigned(text, keys, browserPlatform).length > 0,
  };
}
