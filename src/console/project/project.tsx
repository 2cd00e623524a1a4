import { useEffect, useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { shownInstant } from '../frame/address.ts';
import { ofProject } from '../destinations/destination-calls.ts';
import { DestinationList } from '../destinations/destination-list.tsx';
import { Link } from '../frame/link.tsx';
import { useEvery } from '../frame/use-every.ts';
import { rememberTitle } from '../frame/titles.ts';
import { Problem } from '../parts/problem.tsx';
import { PageState, Stale } from '../parts/states.tsx';
import { Strip } from '../parts/strip.tsx';
import { stripDays, stripWords } from '../parts/strip-days.ts';
import { asOfShown, service } from '../service/service.ts';
import { useFollowedProject } from '../service/live.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { DAY_LENGTH, preciseClockOf, spanOf, utcDayText } from '../time/instants.ts';
import type { ShownSpan } from '../time/scale.ts';
import { LatestEvents } from '../timeline/latest-events.tsx';
import { useNarrow } from '../frame/width.ts';
import { Aside } from './aside.tsx';
import { Checks } from './checks.tsx';
import { ResponseTimes } from './response-times.tsx';
import { checksSentence, projectSentence, alertsSentence } from './sentence.ts';
import { Start } from './start.tsx';
import { serverNow } from '../time/server-clock.ts';

/** More than one start of all checks of a site. */
const KEPT_RESULTS = 2_000;
/** Measurements are no events: figures and the chart are read again this often, all else with the events of the project. */
const REFRESH_MS = 60_000;
/** The page is read as a whole this often, in case its events do not come, for a reason that it cannot know. */
const WHOLE_REFRESH_MS = 600_000;

async function readProject(id: string, signal: AbortSignal) {
  const options = { path: { id }, query: asOfShown(), signal };
  const [project, status, overview, tests, groups] = await Promise.all([
    service.get('/project/{id}', options),
    service.get('/project/{id}/simple-status', { ...options, query: { ...options.query, limit: 1 } }),
    service.get('/project/{id}/overview', options),
    service.list('/project/{id}/tests', options).all(),
    service.list('/project/{id}/areas', options).all(),
  ]);
  return {
    project: project.data,
    status: status.data,
    problems: overview.data.problems,
    tests,
    groups,
  };
}

/** One site: what is wrong now and since when, then figures, checks and what happened. */
export function ProjectPage({ id }: { readonly id: string }) {
  const [round, setRound] = useState(0);
  const [results, setResults] = useState<readonly Schemas['LiveResult'][]>([]);
  const [chosen, setChosen] = useState<ShownSpan | null>(null);
  const at = shownInstant.value;
  const now = at ?? serverNow();
  const { value, error, readAt, reload } = useLoaded(`${id} ${String(at)}`, (signal) => readProject(id, signal), round);
  useFollowedProject(id, {
    onMessage: (message) => message.type === 'result' && setResults((before) => [...before.slice(-KEPT_RESULTS), message.result]),
    onChange: () => setRound((before) => before + 1),
  });
  const [minute, setMinute] = useState(0);
  const figures = useLoaded(
    `${id} ${String(at)}`,
    async (signal) => (await service.get('/projects/figures', { query: { ids: id, ...asOfShown() }, signal })).data.figures[0],
    round + minute,
  );
  useEvery(REFRESH_MS, at === null, () => setMinute((before) => before + 1));
  useEvery(WHOLE_REFRESH_MS, at === null, () => setRound((before) => before + 1));
  const title = value?.project.title;
  useEffect(() => {
    if (title !== undefined) rememberTitle(id, title);
  }, [title]);
  if (value === undefined) return <PageState what="The site" error={error} retry={reload} />;
  const { project, status, problems, tests, groups } = value;
  const summary = { title: project.title, status: project.status, failed: status.failed, total: status.total };
  return (
    <main class="page columns">
      <div>
        <h1>{projectSentence(summary, problems, figures.value?.state)}</h1>
        <p class="soft">
          <a class="mono" href={project.url} rel="noreferrer">
            {project.url}
          </a>{' '}
          · {checksSentence(summary)}
        </p>
        {error !== undefined && <Stale readAt={readAt} error={error} now={serverNow()} />}
        {problems.length > 0 && (
          <ul class="problems">
            {problems.map((problem) => (
              <Problem key={`${problem.kind} ${problem.test?.id ?? ''}`} problem={problem} project={project} isOwnPage now={now}>
                <Alerted projectId={id} problem={problem} now={now} />
              </Problem>
            ))}
          </ul>
        )}
        {at === null && project.permissions.run && (
          <div class="actions">
            <Start id={id} results={results} />
          </div>
        )}
        <Uptime figures={figures.value} now={now} choose={setChosen} />
        <ResponseTimes id={id} now={now} round={round} chosen={chosen} choose={setChosen} />
        <Checks id={id} tests={tests} groups={groups} now={now} mayAdd={at === null && project.permissions.editTests} />
        <LatestEvents id={id} round={round} />
        {at === null && (
          <DestinationList
            calls={ofProject(id)}
            of={`Destinations of the events of ${project.title}`}
            mayChange={project.permissions.edit}
            none={null}
          />
        )}
      </div>
      <div>
        <Aside project={project} now={now} round={round} changed={() => setRound((before) => before + 1)} />
        <p>
          <Link to={['projects', id, 'timeline']}>Everything that happened</Link>
        </p>
        <p>
          <Link to={['proof']} query={{ site: id }}>
            Statements and proofs
          </Link>
        </p>
      </div>
    </main>
  );
}

type Figures = Schemas['ProjectFigures'];

/** Over what time a percentage is: less than the month where not all of it was measured. */
function overWords(measuredSeconds: number): string {
  const measured = spanOf(measuredSeconds * 1000);
  return measured === '30 days' ? 'over the last 30 days' : `over the ${measured} that were measured in the last 30 days`;
}

interface UptimeProps {
  /** Undefined while they are being read. */
  readonly figures: Figures | undefined;
  readonly now: number;
  /** Shows a day in the chart of response times. */
  readonly choose: (span: ShownSpan) => void;
}

function Uptime({ figures, now, choose }: UptimeProps) {
  const isNarrow = useNarrow();
  if (figures === undefined) return <section class="section uptime" aria-busy="true" />;
  const days = stripDays(figures.days, now, isNarrow ? 30 : 90);
  const words = stripWords(days, now);
  const { up, measuredSeconds } = figures.month;
  return (
    <section class="section uptime" aria-labelledby="uptime">
      <h2 id="uptime">
        Uptime{' '}
        <span class="chart-legend">
          {String(days.length)} days · {words}
          {up !== null && ` · ${up.toFixed(3)} % ${overWords(measuredSeconds)}`}
        </span>
      </h2>
      <Strip
        days={days}
        choose={(day) => choose({ from: day, to: Math.min(now, day + DAY_LENGTH) })}
        label={`${String(days.length)} days: ${words}`}
      />
      <p class="strip-ends">
        <span>{utcDayText(days[0]?.at ?? now)}</span>
        <span>{shownInstant.value === null ? 'today' : utcDayText(days.at(-1)?.at ?? now)}</span>
      </p>
    </section>
  );
}

interface AlertedProps {
  readonly projectId: string;
  readonly problem: Schemas['ProjectProblem'];
  readonly now: number;
}

/** Whether people know of a failure; leads to what its event caused. */
function Alerted({ projectId, problem: { event, alerts }, now }: AlertedProps) {
  if (event === null || alerts === null) return null;
  const { words, isProblem } = alertsSentence(alerts, now, preciseClockOf);
  return (
    <>
      {' · '}
      <Link to={['projects', projectId, 'events', event]} class={isProblem ? 'problem' : 'plain'}>
        {words}
      </Link>
    </>
  );
}
