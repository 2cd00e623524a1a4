import { useState } from 'preact/hooks';
import { Glyph } from '../parts/glyph.tsx';
import { Failed } from '../parts/states.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { loadCheckpoint } from './checkpoint.ts';
import { monthsSince } from './months.ts';
import { type FileFinding, verifyStatementFile } from './verify-file.ts';

/** The seal of the log, statements of past months, and files that are verified in the browser. */
export function ProofPage() {
  const { value, error, reload } = useLoaded('checkpoint', loadCheckpoint);
  if (value === undefined)
    return error === undefined ? <main class="page" aria-busy="true" /> : <Failed what="The seal" error={error} retry={reload} />;
  const { isSigned, size, origin, text, keys, witnesses } = value;
  return (
    <main class="page">
      <h1>{isSigned ? `${size.toLocaleString('en')} events are sealed.` : 'The seal is not signed by its published key.'}</h1>
      <p class="soft">
        <Glyph state={isSigned ? 'working' : 'failing'} />{' '}
        {isSigned
          ? `The signature of the last checkpoint was verified in this browser. ${witnesses.length === 0 ? 'No witness has signed it.' : `Witnesses: ${witnesses.join(', ')}.`}`
          : 'Do not rely on proofs of this service until an operator has looked at it.'}
      </p>
      <section class="section" aria-labelledby="checkpoint">
        <h2 id="checkpoint">Last checkpoint</h2>
        <pre class="data" tabIndex={0} aria-label="Checkpoint">
          {text}
        </pre>
        <dl class="facts">
          <dt>Log</dt>
          <dd class="mono">{origin}</dd>
          <dt>Keys</dt>
          <dd class="mono">{keys.join('\n')}</dd>
        </dl>
        <p class="soft">
          Keep a checkpoint and the keys outside of this service: with them <code>watchledger verify</code> proves later that nothing was
          changed before it.
        </p>
      </section>
      <Statements />
      <VerifyFile />
    </main>
  );
}

function Statements() {
  const [project, setProject] = useState('');
  const { value } = useLoaded('projects', async (signal) => {
    const query = { limit: 100, sort: 'title', fields: 'id,title,created' } as const;
    return (await service.get('/projects', { query, signal })).data.projects;
  });
  if (value === undefined) return null;
  const chosen = value.find(({ id }) => id === project) ?? value[0];
  if (chosen === undefined) return null;
  const { id } = chosen;
  return (
    <section class="section" aria-labelledby="statements">
      <h2 id="statements">
        Statements <span class="chart-legend">a month that has not ended is stated as far as it has gone</span>
      </h2>
      <label>
        Site
        <select value={id} onChange={(event) => setProject(event.currentTarget.value)}>
          {value.map(({ id: each, title }) => (
            <option key={each} value={each}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <ul class="rows-list">
        {monthsSince(chosen.created, Date.now()).map((month) => (
          <li key={month}>
            <span class="grow">{month}</span>
            <a href={`/api/project/${id}/statement?month=${month}&format=html`}>to read</a>
            <a href={`/api/project/${id}/statement?month=${month}&format=json`} download={`statement-${month}.json`}>
              to verify
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function VerifyFile() {
  const [found, setFound] = useState<{ readonly name: string; readonly finding: FileFinding } | null>(null);
  const verify = async (file: File): Promise<void> => {
    const finding = await verifyStatementFile(await file.text()).catch((error: unknown): FileFinding => ({
      kind: 'differs',
      reason: error instanceof Error ? error.message : 'the file could not be read',
    }));
    setFound({ name: file.name, finding });
  };
  return (
    <section class="section" aria-labelledby="verify">
      <h2 id="verify">Verify a statement</h2>
      <label>
        A statement as JSON; it does not leave this browser
        <input
          type="file"
          accept="application/json,.json"
          onChange={({ currentTarget: { files } }) => {
            const [file] = files ?? [];
            if (file !== undefined) void verify(file);
          }}
        />
      </label>
      {found !== null && (
        <div role="status">
          <p class={found.finding.kind === 'holds' ? '' : 'problem'}>
            <Glyph state={found.finding.kind === 'holds' ? 'working' : 'failing'} />{' '}
            {found.finding.kind === 'holds'
              ? `${found.name} holds: every figure follows from the sealed log.`
              : `${found.name} does not hold: ${found.finding.reason}.`}
          </p>
          {found.finding.kind === 'holds' && (
            <>
              <ol class="soft">
                {found.finding.steps.map((step) => (
                  <li key={step}>{step}</li>
                ))}
              </ol>
              <p class="mono">{found.finding.keys.join('\n')}</p>
            </>
          )}
        </div>
      )}
      <p class="soft">
        Single events are verified on their own pages; exports and evidence files by <code>watchledger verify</code>.
      </p>
    </section>
  );
}
