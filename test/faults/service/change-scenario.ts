import { setTimeout as sleep } from 'node:timers/promises';
import { type Body, RetryingClient } from './retrying-client.ts';
import type { AcknowledgedWrites } from './acknowledged-writes.ts';

export interface ChangeContext {
  readonly client: RetryingClient;
  readonly address: () => string;
  readonly deeds: AcknowledgedWrites;
  /** Its path. */
  readonly project: string;
  /** Of this turn; every key begins with it. */
  readonly name: string;
}

/** The id of an account that was created and erased. */
export type Erased = string;
type Step = () => Promise<Erased | null>;

const PASSWORD = 'correct horse battery staple';
const JOB_MS = 240_000;

/** One pass over the steps, each a write or a few related ones; the last answers the erased account. */
export function changeScenario({ client, address, deeds, project, name }: ChangeContext): readonly Step[] {
  let [area, check] = ['', ''];
  const write = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, type: string, body?: Body, key = type): Promise<string> => {
    const answer = await client.write(method, path, body, `${name}-${key}`, { [type]: 1 });
    return String(answer['id'] ?? answer['jobId']);
  };
  const job = async (key: string): Promise<void> => {
    const id = await write('GET', `${project}/start`, 'JobRequested', undefined, key);
    await ended(client, `${project}/job/${id}/results`);
  };
  const steps: readonly (() => Promise<unknown>)[] = [
    async () => (area = await write('POST', `${project}/areas`, 'AreaCreated', { name })),
    async () => (check = await write('POST', `${project}/tests`, 'CheckCreated', { areaId: area, url: '/', name })),
    () => write('PUT', `/test/${check}`, 'CheckRenamed', { name: `${name} again` }),
    () => write('PUT', project, 'UptimePeriodChanged', { uptimeEnabled: '15' }, 'on'),
    () => job('first'),
    () => write('PUT', '/account/channels/slack', 'ChannelSet', { url: `https://hooks.example/${name}` }),
    async () => {
      const id = await write('POST', `${project}/users`, 'MemberInvited', { email: `${name}@example.test`, role: '6' });
      await write('DELETE', `${project}/users`, 'InvitationWithdrawn', { users: [Number(id)] });
    },
    () => write('PUT', `/area/${area}`, 'AreaRenamed', { name: `${name} again` }),
    () => write('PUT', project, 'UptimePeriodChanged', { uptimeEnabled: 'false' }, 'off'),
    () => job('second'),
    () => write('DELETE', `/test/${check}`, 'CheckDeleted'),
    () => write('DELETE', `/area/${area}`, 'AreaDeleted'),
  ];
  return [
    ...steps.map((step) => async () => {
      await step();
      return null;
    }),
    () => registerAndErase(address, deeds, `${name}-erased@example.test`),
  ];
}

/** Waits for the end of a job. */
async function ended(client: RetryingClient, results: string): Promise<void> {
  const deadline = performance.now() + JOB_MS;
  for (;;) {
    const job = await client.get(results);
    if (job['processed'] === true) return;
    if (performance.now() > deadline) throw new Error(`the job of ${results} never ended`);
    await sleep(50);
  }
}

/** Registers and erases an account; null when the outcome of the erasure is unknown. */
async function registerAndErase(address: () => string, deeds: AcknowledgedWrites, email: string): Promise<Erased | null> {
  const client = new RetryingClient(address, deeds, { email, password: PASSWORD });
  await client.ask('POST', '/account/register', [200], { email, password: PASSWORD, name: 'Erased' });
  const { id } = await client.get('/account');
  // Not retried: the caller no longer exists afterwards.
  const erased = await client.ask('DELETE', '/account', [200, 401], undefined, 'erased');
  return erased.status === 200 ? String(id) : null;
}
