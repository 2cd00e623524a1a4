import { LogSearcher } from '../../../src/platform/log/search.ts';
import { projectStream } from '../../../src/kernel/stream-names.ts';
import type { FlatCase } from '../flat-case.ts';
import { RARE_ACTOR } from '../flat-events.ts';

type Search = Parameters<LogSearcher['find']>[0];

const history = (name: string, over: FlatCase['over'], filter: Partial<Search>, found: number): FlatCase => ({
  name,
  over,
  atMost: 15,
  prepare: ({ pool, projectOfChecks }, size) => {
    const searcher = new LogSearcher(pool);
    const scopes = over === 'checks' ? [projectStream(projectOfChecks(size))] : null;
    const search: Search = {
      after: -1,
      before: Number.MAX_SAFE_INTEGER,
      scopes,
      types: [],
      stream: null,
      actors: [],
      direction: 'desc',
      limit: found,
    };
    return Promise.resolve(async () => {
      const events = await searcher.find({ ...search, ...filter });
      if (events.length !== found) throw new Error(`${name}: ${String(events.length)} events instead of ${String(found)}`);
    });
  },
});

const cases: readonly FlatCase[] = [
  history('GET /history?actor= of few events', 'projects', { actors: [RARE_ACTOR] }, 5),
  history('GET /history?actor= of most events', 'projects', { actors: ['1'] }, 40),
  history('GET /history?type= of few events', 'projects', { types: ['ProjectRenamed'] }, 5),
  history('GET /project/{id}/history?type= of one event', 'checks', { types: ['AreaCreated'] }, 1),
  history('GET /project/{id}/history?actor= of none', 'checks', { actors: [RARE_ACTOR] }, 0),
];
export default cases;
