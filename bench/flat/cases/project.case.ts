import { projectWithFacts } from '../../../src/watches/project-facts.ts';
import type { FlatCase } from '../flat-case.ts';
import { flatProjectId } from '../flat-events.ts';

const cases: readonly FlatCase[] = [
  {
    name: 'GET /project/{id}: its four rows',
    over: 'projects',
    calls: 100,
    prepare: ({ views }, size) => {
      let next = 0;
      return Promise.resolve(async () => {
        const found = await projectWithFacts(views.now(), flatProjectId((next++ * 7919) % size));
        if (found?.facts.status == null) throw new Error('found nothing');
      });
    },
  },
  {
    name: 'GET /project/{id} of one project',
    over: 'checks',
    calls: 100,
    prepare: ({ views, projectOfChecks }, checks) =>
      Promise.resolve(async () => {
        if ((await projectWithFacts(views.now(), projectOfChecks(checks))) === null) throw new Error('found nothing');
      }),
  },
];
export default cases;
