import { useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { Link } from '../frame/link.tsx';
import { errorSentence, service } from '../service/service.ts';
import { DAY_LENGTH, fullOf, shortOf } from '../time/instants.ts';
import { type CheckDraft, rulesOf } from './draft.ts';
import { serverNow } from '../time/server-clock.ts';

const DAYS = 30;

interface PastVerdictsProps {
  readonly projectId: string;
  readonly testId: string;
  readonly draft: CheckDraft;
}

/** What the edited rules would have said over kept pages: old and new verdicts, one above the other. */
export function PastVerdicts({ projectId, testId, draft }: PastVerdictsProps) {
  const [found, setFound] = useState<{ readonly answer: Schemas['WhatIfFound']; readonly rules: string } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const rules = rulesOf(draft);
  const ask = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      const body = { rules: [...rules], from: new Date(serverNow() - DAYS * DAY_LENGTH).toISOString() };
      const { data } = await service.post('/test/{id}/what-if', { path: { id: testId }, body });
      setFound({ answer: data, rules: JSON.stringify(rules) });
    } catch (error) {
      setProblem(errorSentence(error));
    } finally {
      setBusy(false);
    }
  };
  const isOld = found !== null && found.rules !== JSON.stringify(rules);
  return (
    <section class="section" aria-labelledby="past">
      <h2 id="past">The last {DAYS} days with these rules</h2>
      <p>
        <button type="button" onClick={() => isBusy || rules.length === 0 || void ask()} aria-disabled={isBusy || rules.length === 0}>
          {isBusy ? 'Judging kept pages …' : 'Judge kept pages by these rules'}
        </button>
      </p>
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {found !== null && (
        <div class={isOld ? 'stale' : ''}>
          {isOld && <p class="soft">The rules have changed since.</p>}
          <Verdicts projectId={projectId} found={found.answer} />
        </div>
      )}
    </section>
  );
}

const SHOWN = 20;
const WAS = { ok: 'passed', error: 'failed', timeout: 'timed out' } as const;
const WOULD = { ok: 'pass', error: 'fail', timeout: 'time out' } as const;

interface VerdictsProps {
  readonly projectId: string;
  readonly found: Schemas['WhatIfFound'];
}

function Verdicts({ projectId, found: { runs, judged, changed, uptime, verdicts, from, to } }: VerdictsProps) {
  const [isWhole, setWhole] = useState(false);
  const differing = verdicts.filter((stretch) => stretch.old !== stretch.new);
  if (judged === 0) return <p class="soft">{runs === 0 ? 'The check has not run in that time.' : 'No page of that time is kept.'}</p>;
  return (
    <>
      <p class="judged">
        {judged} of {runs} {runs === 1 ? 'run' : 'runs'} {judged === 1 ? 'was' : 'were'} kept and judged again:{' '}
        {changed === 0 ? 'no verdict would differ' : `${String(changed)} would differ`}
        {uptime.old !== null && uptime.new !== null && ` (${uptime.old.toFixed(2)} % passed, ${uptime.new.toFixed(2)} % would)`}.
      </p>
      <Bars
        name="saved"
        span={[Date.parse(from), Date.parse(to)]}
        stretches={verdicts.map(({ old, ...stretch }) => ({ ...stretch, status: old }))}
      />
      <Bars
        name="edited"
        span={[Date.parse(from), Date.parse(to)]}
        stretches={verdicts.map(({ new: status, ...stretch }) => ({ ...stretch, status }))}
      />
      <ul class="rows-list">
        {(isWhole ? differing : differing.slice(0, SHOWN)).map(({ from: begin, runs: count, old, new: wanted, failures }) => (
          <li key={begin}>
            <Link to={['projects', projectId]} query={{ at: new Date(Date.parse(begin) + 1_000).toISOString() }}>
              <time dateTime={begin} title={fullOf(Date.parse(begin))}>
                {shortOf(Date.parse(begin), serverNow())}
              </time>
            </Link>
            <span class="grow">
              {count} {count === 1 ? 'run' : 'runs'} {WAS[old]} and would {WOULD[wanted]}
              {failures[0] !== undefined && `: ${failures[0]}`}
            </span>
          </li>
        ))}
      </ul>
      {!isWhole && differing.length > SHOWN && (
        <button type="button" class="quiet inline" onClick={() => setWhole(true)}>
          Show all {differing.length}
        </button>
      )}
    </>
  );
}

interface BarsProps {
  readonly name: string;
  readonly span: readonly [number, number];
  readonly stretches: readonly { readonly from: string; readonly to: string; readonly status: string }[];
}

function Bars({ name, span: [from, to], stretches }: BarsProps) {
  const place = (instant: string): number => ((Date.parse(instant) - from) / Math.max(1, to - from)) * 300;
  const failed = stretches.filter(({ status }) => status !== 'ok').length;
  return (
    <div class="verdict-bars">
      <span class="soft">{name}</span>
      <svg
        class="strip"
        viewBox="0 0 300 18"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${name}: ${String(failed)} failing ${failed === 1 ? 'stretch' : 'stretches'}`}
      >
        {stretches.map(({ from: begin, to: end, status }) => (
          <rect
            key={begin}
            class={status === 'ok' ? 'up' : 'down'}
            x={place(begin)}
            y="0"
            width={Math.max(1, place(end) - place(begin))}
            height="18"
          />
        ))}
      </svg>
    </div>
  );
}
