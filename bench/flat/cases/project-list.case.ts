import { ProjectListReader } from '../../../src/projects/project-list.reader.ts';
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
  list('?status=unknown, of a member of few, found nothing', { status: null, memberId: MEMBER_OF_FEW }, 0),
  list('?search=, found nothing', { search: 'nothing-like-it', memberId: OWNER }, 0),
  list('?search=, two letters, found nothing', { search: 'zq' }, 0),
  list('?search=, parts that are in every project', { search: 'example.exa' }, 0),
  list('?search=, few found', { search: 'RARE', memberId: OWNER }, 5),
  list('?search=, all found', { search: 'example' }, 5),
  list('?search=, of a member of few', { search: 'example', memberId: MEMBER_OF_FEW }, 5),
  list('?search=&status=error', { search: 'site', status: 'error', memberId: OWNER }, 5),
  list('?sort=title, of the owner of all', { order: { by: 'title', direction: 'asc' }, memberId: OWNER }, 5),
  list('?sort=-created, of a member of few', { order: { by: 'created', direction: 'desc' }, memberId: MEMBER_OF_FEW }, 5),
];
export default cases;
