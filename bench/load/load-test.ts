import { Clients } from './clients.ts';
import { ALL_ROLES, openLoadWorld } from './load-world.ts';
import { type Sample, Watch } from './watch.ts';

const SAMPLE_MS = 10_000;

export interface LoadPlan {
  readonly projects: number;
  readonly minutes: number;
  /** One process for API, views and messages, another for the checks. */
  readonly split: boolean;
  readonly say: (line: string) => void;
}

export interface Load extends LoadPlan {
  readonly loadBefore: number;
  readonly samples: readonly Sample[];
}

/**
 * All projects with a check every 5 minutes and half with uptime at 30 s, over HTTP against one page, while clients read and write. Measures a process from
 * its start, which has all of them from the beginning.
 */
export async function runLoad(plan: LoadPlan): Promise<Load> {
  const world = await openLoadWorld(plan.say, plan.split ? ['api,projector,reactor', 'checker'] : [ALL_ROLES]);
  try {
    const maker = await Clients.signIn(await world.start(), world.account);
    plan.say(`making ${plan.projects.toLocaleString('en')} projects ...`);
    await maker.make(plan.projects, world.siteUrl);
    plan.say('starting it again ...');
    await world.stop();
    const clients = await Clients.signIn(await world.start(), world.account, maker);
    const watch = await Watch.begin(world.services, world.pool, clients);
    const samples: Sample[] = [];
    clients.begin();
    while (samples.length * SAMPLE_MS < plan.minutes * 60_000) {
      await pause(SAMPLE_MS);
      const sample = await watch.sample();
      samples.push(sample);
      plan.say(JSON.stringify(sample));
    }
    await clients.end();
    return { ...plan, loadBefore: world.loadBefore, samples };
  } finally {
    await world.close();
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((over) => setTimeout(over, milliseconds));
