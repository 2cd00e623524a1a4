import { useState } from 'preact/hooks';
import { Glyph } from '../parts/glyph.tsx';
import type { FileFinding } from './verify-file.ts';

interface Verified {
  readonly name: string;
  readonly finding: FileFinding;
}

/** A file from elsewhere, verified by the browser alone. `keys`: those of this service, for a person who has none from elsewhere. */
export function VerifyFile({ keys }: { readonly keys: readonly string[] }) {
  const [trusted, setTrusted] = useState(keys.join('\n'));
  const [verified, setVerified] = useState<Verified | null>(null);
  const [share, setShare] = useState<number | null>(null);
  const verify = async (file: File): Promise<void> => {
    setVerified(null);
    setShare(0);
    const given = trusted.split('\n').filter((line) => line.includes('+'));
    let finding: FileFinding;
    try {
      const { verifyGivenFile } = await import('./verify-file.ts');
      finding = await verifyGivenFile(new Uint8Array(await file.arrayBuffer()), given, setShare);
    } catch (error) {
      finding = { kind: 'differs', reason: error instanceof Error ? error.message : 'the file could not be read' };
    }
    setShare(null);
    setVerified({ name: file.name, finding });
  };
  return (
    <section class="section" aria-labelledby="verify">
      <h2 id="verify">Verify a file</h2>
      <div class="fields medium">
        <label>
          A statement, an export, the proof of an event or a receipt; it does not leave this browser
          <input
            type="file"
            onChange={({ currentTarget: { files } }) => {
              const [file] = files ?? [];
              if (file !== undefined) void verify(file);
            }}
          />
        </label>
        <label>
          Keys that you trust, one a line; better from elsewhere than from this service
          <textarea
            name="trusted-keys"
            class="mono"
            rows={3}
            spellcheck={false}
            value={trusted}
            onInput={(event) => setTrusted(event.currentTarget.value)}
          />
        </label>
      </div>
      {share !== null && (
        <p>
          <progress aria-label="Verification" max={1} value={share} />
        </p>
      )}
      {verified !== null && <Result {...verified} />}
      <p class="soft">
        The evidence of a failure as a file is judged again by <code>watchledger verify</code>.
      </p>
    </section>
  );
}

function Result({ name, finding }: Verified) {
  return (
    <div role="status">
      <p class={finding.kind === 'holds' ? '' : 'problem'}>
        <Glyph state={finding.kind === 'holds' ? 'working' : 'failing'} />{' '}
        {finding.kind === 'holds' ? `${name} holds.` : `${name} does not hold: ${finding.reason}.`}
      </p>
      {finding.kind === 'holds' && (
        <>
          <ol class="soft">
            {finding.steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
          <p class="mono">{finding.keys.join('\n')}</p>
        </>
      )}
    </div>
  );
}
