import { ProjectListReader } from '../../../src/projections/read-models/project/project-list.reader.ts';
import type { FlatCase } from '../flat-case.ts';
import { MEMBER_OF_FEW, OWNER } from '../flat-events.ts';

type Filter = Partial<Parameters<ProjectListReader['page']>[0]>;

const list = (name: string, filter: Filter, found: number): FlatCase => ({
  name: `GET /projects${name}`,
  over: 'projects',
  atMost: 20,
  prepare: ({ views }) => {
    const reader = new ProjectListReader(views);
    return Promise.resolve(async () => {
      const { projects } = await reader.page({ memberId: null, search: null, after: null, limit: 5, ...filter });
      if (projects.length !== found) throw new Error(`${name}: ${String(projects.length)} projects instead of ${String(found)}`);
    });
  },
});

const cases: readonly FlatCase[] = [
  list(', of an auditor', {}, 5),
  list(', of a member of few', { memberId: MEMBER_OF_FEW }, 5),
  list('?status=error, of an auditor', { status: 'error' }, 5),
  list('?status=error, of the owner of all', { status: 'error', memberId: OWNER }, 5),
  list('?status=error, of a member of few', { status: 'error', memberId: MEMBER_OF_FEW }, 2),
  list('?status=timeout, found nothing', { status: 'timeout', memberId: OWNER }, 0),
  list('?status=unknown, found nothing', { status: null }, 0),
];
export default cases;
