import { randomBytes } from 'node:crypto';
import type { ApiClient, Json } from '../support/api-client.ts';
import { PASSWORD, TestAccounts, type TestAccount } from '../support/test-accounts.ts';
import type { TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import type { CallerName, GeneratedRequest } from './requests.ts';
import type { Sent } from './request-sender.ts';

/** What generated requests name, really there, and there again when one of them has ended it. */
export class ContractFixture {
  private readonly names = new Map<string, string>();
  private readonly tokens = new Map<CallerName, string | null>();
  private victims = 0;

  private constructor(
    private readonly people: TestAccounts,
    private readonly owner: TestAccount,
    private readonly staff: Readonly<Record<'developer' | 'guest', TestAccount>>,
  ) {}

  static async make(service: TestService, siteUrl: string): Promise<ContractFixture> {
    const people = new TestAccounts(service);
    const [owner, developer, guest, outsider, auditor] = await Promise.all(
      ['owner', 'developer', 'guest', 'outsider', 'auditor'].map((name) => people.register(name)),
    );
    if (!owner || !developer || !guest || !outsider || !auditor) throw new Error('a test account is missing');
    await people.administer(owner, { plan: 'unlimited' });
    await people.administer(outsider, { plan: 'unlimited' });
    await people.administer(auditor, { systemRole: 'auditor' });
    const world = new ContractFixture(people, owner, { developer, guest });
    const admin = await people.admin();
    for (const [name, { api }] of Object.entries({ owner, developer, guest, outsider, auditor, admin }))
      world.tokens.set(name as CallerName, api.token);
    world.tokens.set('anonymous', null).set('liar', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.');
    world.names.set('__site__', siteUrl).set('__guest__', guest.email).set('__outsiderNumber__', String(outsider.userId));
    world.names.set('__guestNumber__', String(guest.userId)).set('__developerNumber__', String(developer.userId));
    world.names.set('__owner__', owner.email).set('__password__', PASSWORD);
    await world.fill(outsider, siteUrl);
    return world;
  }

  tokenOf(caller: CallerName): string | null {
    return this.tokens.get(caller) ?? null;
  }

  /** The token of a spare account is made when it is needed. */
  async sent({ caller, method, path, headers, body }: GeneratedRequest): Promise<Sent> {
    const token = caller === 'victim' ? await this.victim() : (this.tokens.get(caller) ?? null);
    return {
      method,
      path: this.resolved(path),
      headers: { ...headers, ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
      body: body === null ? null : this.resolved(body),
    };
  }

  /** Restores removed members and spare objects. */
  async mend(): Promise<void> {
    const project = this.name('__project__');
    for (const [name, role] of [
      ['developer', '5'],
      ['guest', '6'],
    ] as const) {
      await this.people.join(project, this.owner, this.staff[name], role);
    }
    await this.spare();
  }

  private async fill(outsider: TestAccount, url: string): Promise<void> {
    const { api } = this.owner;
    const project = await this.people.project(this.owner, url);
    const foreign = await this.people.project(outsider, url);
    this.names.set('__project__', project).set('__foreignProject__', foreign);
    const area = await made(api, `/project/${project}/areas`, { name: 'Group' });
    const foreignArea = await made(outsider.api, `/project/${foreign}/areas`, { name: 'Group' });
    this.names.set('__area__', area).set('__foreignArea__', foreignArea);
    this.names.set('__test__', await made(api, `/project/${project}/tests`, { url: '/', areaId: area }));
    this.names.set('__foreignTest__', await made(outsider.api, `/project/${foreign}/tests`, { url: '/', areaId: foreignArea }));
    const span = { from: '2030-01-01T00:00:00Z', to: '2030-01-01T01:00:00Z' };
    this.names.set('__window__', await made(api, `/project/${project}/maintenance`, span));
    this.names.set('__token__', (await api.post('/account/tokens', { name: 'spare' })).body.tid);
    this.names.set('__event__', (await api.get(`/project/${project}/history`)).body.events[0].id);
    await this.run(api, project);
    await this.mend();
  }

  /** One job, with its results. */
  private async run(api: ApiClient, project: string): Promise<void> {
    const jobId = (await api.get(`/project/${project}/start`)).body.jobId as string;
    this.names.set('__job__', jobId);
    const ended = async (): Promise<boolean> => (await api.get(`/project/${project}/job/${jobId}/results`)).body.processed as boolean;
    await until(ended, 20_000, 'the end of the first job');
  }

  private async spare(): Promise<void> {
    const { api } = this.owner;
    const mine = this.name('__project__');
    const windows = (await api.get(`/project/${mine}/maintenance`)).body as { readonly id: string }[];
    if (!windows.some(({ id }) => id === this.names.get('__spareWindow__')))
      this.names.set(
        '__spareWindow__',
        await made(api, `/project/${mine}/maintenance`, { from: '2031-01-01T00:00:00Z', to: '2031-01-01T01:00:00Z' }),
      );
    const badge = await api.put(`/project/${mine}/badge`, { enabled: true });
    this.names.set('__badgeKey__', /key=(\w+)/.exec(String(badge.body.url))?.[1] ?? '');
    const there = async (path: string): Promise<boolean> => (await api.get(path)).status === 200;
    if (!(await there(`/project/${this.names.get('__spareProject__') ?? 'none'}`)))
      this.names.set('__spareProject__', await this.people.project(this.owner));
    const destinations = `/project/${mine}/destinations`;
    if (!(await there(`${destinations}/${this.names.get('__destination__') ?? 'none'}`)))
      this.names.set('__destination__', await made(api, destinations, { name: 'Spare', url: 'https://example.com/push' }));
    const programs = `/project/${mine}/service-accounts`;
    if (!(await there(`${programs}/${this.names.get('__serviceAccount__') ?? 'none'}`)))
      this.names.set('__serviceAccount__', await made(api, programs, { name: 'Spare', role: '6' }));
    await this.spareStatusPages(api, mine);
    if (!(await there(`/area/${this.names.get('__spareArea__') ?? 'none'}`)))
      this.names.set('__spareArea__', await made(api, `/project/${mine}/areas`, { name: 'Spare' }));
    if (!(await there(`/test/${this.names.get('__spareTest__') ?? 'none'}`)))
      this.names.set(
        '__spareTest__',
        await made(api, `/project/${mine}/tests`, { url: 'https://example.com/spare', areaId: this.name('__area__') }),
      );
  }

  private async spareStatusPages(api: ApiClient, project: string): Promise<void> {
    for (const name of ['__statusPage__', '__spareStatusPage__'])
      if ((await api.get(`/status-pages/${this.names.get(name) ?? 'none'}`)).status !== 200) {
        const slug = `page-${randomBytes(6).toString('hex')}`;
        const page = { slug, title: 'Spare', groups: [{ items: [{ name: 'Site', project }] }] };
        this.names.set(name, await made(api, '/status-pages', page));
      }
    const incidents = `/status-pages/${this.name('__statusPage__')}/incidents`;
    const known = (await api.get(incidents)).body as { readonly id: string; readonly updates: readonly { readonly id: string }[] }[];
    if (known.some(({ id }) => id === this.names.get('__incident__'))) return;
    const { body } = await api.post(incidents, { title: 'Spare', text: 'We look.' });
    this.names.set('__incident__', body.id as string).set('__update__', body.updates[0].id as string);
  }

  private async victim(): Promise<string> {
    this.victims++;
    const { api } = await this.people.register(`victim${String(this.victims)}`);
    return api.token ?? '';
  }

  private resolved(text: string): string {
    const numbered = text.replace(/"__([a-zA-Z]+Number)__"/g, (_, name: string) => this.name(`__${name}__`));
    return numbered.replace(/__[a-zA-Z]+__/g, (name) => this.names.get(name) ?? name);
  }

  private name(name: string): string {
    const found = this.names.get(name);
    if (found === undefined) throw new Error(`${name} is not there`);
    return found;
  }
}

async function made(api: ApiClient, path: string, body: object): Promise<string> {
  const answer: Json = await api.post(path, body);
  if (answer.status !== 200) throw new Error(`${path} was answered ${String(answer.status)} ${String(answer.text)}`);
  return answer.body.id as string;
}
