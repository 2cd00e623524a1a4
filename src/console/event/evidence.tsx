import { useState } from 'preact/hooks';
import { ApiError, type Schemas } from '../../client.ts';
import { Link } from '../frame/link.tsx';
import { capitalized } from '../parts/words.ts';
import { Glyph } from '../parts/glyph.tsx';
import { Erased, Failed } from '../parts/states.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { fullOf, preciseClockOf } from '../time/instants.ts';
import { operatorWords } from '../editor/rule-words.ts';
import { Source } from './source.tsx';
import { isWholePage } from './source-lines.ts';

type EvidenceAnswer = Schemas['Evidence'];

/** The exchange behind an event: the rules at the left, the bytes at the right. */
export function Evidence({ projectId, eventId }: { readonly projectId: string; readonly eventId: string }) {
  const { value, error, reload } = useLoaded(`${projectId} ${eventId}`, async (signal) => {
    const { data } = await service.get('/project/{id}/history/{eventId}/evidence', { path: { id: projectId, eventId }, signal });
    return data;
  });
  if (value === undefined) {
    if (error === undefined) return null;
    if (error instanceof ApiError && (error.status === 404 || error.status === 410))
      return <Erased why={error.message} remains="The event, its verdict and its place in the sealed log remain." />;
    if (error instanceof ApiError && error.status === 403)
      return (
        <p class="section soft">
          The evidence is shown to developers and admins of the site: a page may lie behind a sign-in and show what belongs to others.
        </p>
      );
    return <Failed what="The evidence" error={error} retry={reload} />;
  }
  return (
    <section class="section" aria-label="Evidence">
      <p>{answerSentence(value)}</p>
      <div class="evidence">
        <div>
          {value.rules.map((rule, index) => (
            <RuleResult key={index} rule={rule} size={value.answer?.size ?? 0} />
          ))}
          {value.checkId !== null && (
            <p class="rule">
              <Link to={['projects', projectId, 'checks', value.checkId]}>The check and its rules as they are now</Link>
            </p>
          )}
          <Exchange evidence={value} />
        </div>
        <Sheet projectId={projectId} eventId={eventId} evidence={value} />
      </div>
    </section>
  );
}

function answerSentence({ answer, reason, timings, rules }: EvidenceAnswer): string {
  if (answer === null) return `No answer came${reason === null ? '' : `: ${reason}`}.`;
  const failed = rules.filter(({ result }) => result === 'failed').length;
  return `The page came as ${String(answer.status)} ${answer.statusText} in ${timings.total.toFixed(0)} ms (${answer.size.toLocaleString('en')} bytes)${heldWords(failed, rules.length)}.`;
}

function heldWords(failed: number, total: number): string {
  if (total === 0) return '';
  if (total === 1) return failed === 0 ? ', and its rule held' : ', and its rule did not hold';
  return failed === 0 ? ', and every rule held' : `, and ${String(failed)} of ${String(total)} rules did not hold`;
}

interface RuleResultProps {
  readonly rule: EvidenceAnswer['rules'][number];
  readonly size: number;
}

function RuleResult({ rule: { type, op, val, result, sentence, bytes }, size }: RuleResultProps) {
  return (
    <div class="rule">
      <Glyph state={result === 'failed' ? 'failing' : 'working'} />
      <div>
        <p>
          <strong>{type}</strong> {operatorWords(op)} <code>{val}</code>
        </p>
        {sentence !== null && <p class="soft">{capitalized(sentence)}.</p>}
        {bytes !== null && (
          <p class="soft">
            {isWholePage(bytes, size)
              ? 'Compared with the whole page.'
              : `Line ${String(bytes.line)}, bytes ${String(bytes.from)} to ${String(bytes.to)}.`}
          </p>
        )}
      </div>
    </div>
  );
}

function Exchange({
  evidence: { request, address, timings, location, at, redirects, certificate },
}: {
  readonly evidence: EvidenceAnswer;
}) {
  return (
    <dl class="facts">
      <dt>Asked</dt>
      <dd>
        {request === null ? 'nothing' : `${request.method} ${request.url}`}
        {address !== null && (
          <>
            {' '}
            at <code>{address}</code>
          </>
        )}
      </dd>
      <dt>When</dt>
      <dd>
        {preciseClockOf(Date.parse(at))}, from {location}
      </dd>
      <dt>Time</dt>
      <dd>
        name {timings.dns.toFixed(0)}, connect {timings.connect.toFixed(0)}, TLS {timings.tls.toFixed(0)}, first byte{' '}
        {timings.wait.toFixed(0)}, page {timings.download.toFixed(0)} ms
      </dd>
      {redirects.length > 0 && (
        <>
          <dt>Redirects</dt>
          <dd>{redirects.map(({ status, to }) => `${String(status)} to ${to}`).join(', ')}</dd>
        </>
      )}
      {certificate !== null && (
        <>
          <dt>Certificate</dt>
          <dd>
            {certificate.issuer}, valid to {fullOf(Date.parse(certificate.validTo))}
          </dd>
        </>
      )}
    </dl>
  );
}

const VIEWS = { page: 'As received', difference: 'Difference to the last page that passed', headers: 'Headers' } as const;
type View = keyof typeof VIEWS;

interface SheetProps {
  readonly projectId: string;
  readonly eventId: string;
  readonly evidence: EvidenceAnswer;
}

function Sheet({ projectId, eventId, evidence }: SheetProps) {
  const { answer, rules, kind } = evidence;
  const [view, setView] = useState<View>(answer?.kept === true ? 'page' : 'headers');
  if (answer === null) return <div />;
  const views = (Object.keys(VIEWS) as View[]).filter(
    (name) => name === 'headers' || (answer.kept && (name === 'page' || kind === 'check')),
  );
  const marks = rules.flatMap(({ bytes, result }) => (bytes === null || isWholePage(bytes, answer.size) ? [] : [{ ...bytes, result }]));
  return (
    <div class="sheet">
      <div class="sheet-head" role="tablist" aria-label="What came">
        {views.map((name) => (
          <button key={name} role="tab" aria-selected={name === view} onClick={() => setView(name)}>
            {VIEWS[name]}
          </button>
        ))}
        <span class="soft">not rendered, for safety</span>
      </div>
      {view === 'headers' ? (
        <Headers headers={answer.headers} />
      ) : (
        <KeptPage key={view} projectId={projectId} eventId={eventId} isDifference={view === 'difference'} marks={marks} />
      )}
      <p class="sheet-note soft">
        <a href={`/api/project/${projectId}/history/${eventId}/evidence?format=file`} download={`evidence-${eventId}.json`}>
          Keep the evidence as a file
        </a>
        , which <code>watchledger verify</code> judges again offline.
      </p>
      {!answer.kept && <p class="sheet-note soft">The page itself is no longer kept; its hash is {answer.page.slice(0, 16)}….</p>}
    </div>
  );
}

function Headers({ headers }: { readonly headers: NonNullable<EvidenceAnswer['answer']>['headers'] }) {
  return (
    <pre class="source" tabIndex={0} aria-label="Headers of the answer">
      {headers.map(({ name, value }) => `  ${name}: ${value ?? '********'}\n`)}
    </pre>
  );
}

interface KeptPageProps {
  readonly projectId: string;
  readonly eventId: string;
  readonly isDifference: boolean;
  readonly marks: Parameters<typeof Source>[0]['marks'];
}

function KeptPage({ projectId, eventId, isDifference, marks }: KeptPageProps) {
  const { value, error, reload } = useLoaded(`${eventId} ${String(isDifference)}`, async (signal) => {
    const query = isDifference ? ({ diff: 'passing' } as const) : {};
    return (await service.get('/project/{id}/history/{eventId}/evidence/page', { path: { id: projectId, eventId }, query, signal })).data;
  });
  if (value === undefined) {
    if (error instanceof ApiError) return <p class="sheet-note soft">{error.message}</p>;
    return error === undefined ? <div class="source" aria-busy="true" /> : <Failed what="The page" error={error} retry={reload} />;
  }
  return <Source text={value} marks={isDifference ? [] : marks} isDifference={isDifference} />;
}
