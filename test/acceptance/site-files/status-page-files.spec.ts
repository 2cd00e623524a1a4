import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '../../support/api-client.ts';
import { SiteCommands, tokenOf } from '../../support/site-commands.ts';
import { TestAccounts } from '../../support/test-accounts.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';

let service: TestService;
let people: TestAccounts;
let api: ApiClient;
let commands: SiteCommands;
beforeAll(async () => {
  service = await sharedService();
  people = new TestAccounts(service);
  ({ api } = await people.register('owner'));
  commands = await SiteCommands.of(api, () => service.url);
});
afterAll(() => {
  commands.remove();
});

describe('a status page beside its sites', () => {
  const env = { PAGE_PASSWORD: 'open sesame' };
  const page = `statusPage:
  slug: example
  title: Example
  access: password
  password: \${env:PAGE_PASSWORD}
  languages: [ de, en ]
  words: { about: What works }
  groups:
    # For customers.
    - name: Shop
      items:
        - { name: Site, project: paged }
        - { name: Pages, project: paged, group: Public }
        - { name: Start, project: paged, check: front }
`;
  interface PageAnswer {
    readonly id: string;
    readonly title: string;
  }
  const pages = async (): Promise<PageAnswer[]> => (await api.get('/status-pages')).body as PageAnswer[];
  const only = async (): Promise<PageAnswer> => (await pages())[0]!;

  it('is made after the sites that it shows, and stays as the file says', async () => {
    mkdirSync(join(commands.folder, 'page'));
    commands.write(
      'page/site.yaml',
      'key: paged\nurl: https://paged.example\ngroups: [{name: Public, checks: [{key: front, name: Front, url: /}]}]\n',
    );
    commands.write('page/status.yaml', page);
    expect(await commands.run({}, 'validate', 'page')).toMatchObject({ status: 0, out: 'Valid: 1 site, 1 check, 1 status page\n' });
    expect(await commands.run({}, 'plan', 'page')).toMatchObject({
      status: 1,
      err: expect.stringContaining('${env:PAGE_PASSWORD} has no value'),
    });
    const planned = await commands.run(env, 'plan', 'page');
    expect(planned).toMatchObject({ status: 3, out: expect.stringContaining('+ status page example (page/status.yaml)\n') });
    expect(planned.out).toContain('1 status page: 1 to create, 0 to change, 0 unchanged');
    expect(planned.out).not.toContain('sesame');
    expect(await commands.run(env, 'apply', 'page', '--yes')).toMatchObject({ status: 0, out: 'Changed 1 project and 1 status page\n' });
    expect(await only()).toMatchObject({
      ...{ slug: 'example', title: 'Example', access: 'password', hasPassword: true, languages: ['de', 'en'] },
      groups: [{ name: 'Shop', items: [{ project: expect.any(String) }, { group: expect.any(String) }, { check: expect.any(String) }] }],
    });
    expect(await commands.run(env, 'plan', 'page')).toMatchObject({
      status: 0,
      out: expect.stringContaining('1 status page: 0 to create, 0 to change'),
    });
  });

  it('is planned with what others changed, and a plan that is out of date is refused', async () => {
    expect(await commands.run(env, 'plan', '--out', 'page.json', 'page')).toMatchObject({ status: 0 });
    const today = await only();
    await api.put(`/status-pages/${today.id}`, { ...today, title: 'Changed' });
    const { status, out } = await commands.run({ PAGE_PASSWORD: 'another password' }, 'plan', '--out', 'page.json', 'page');
    expect(status).toBe(3);
    expect(out).toMatch(/title: "Changed" → "Example"\n +changed by user .+, not in the file\n/);
    expect(out).toContain('password: "(hidden)" → "(hidden)"');
    await api.put(`/status-pages/${today.id}`, { ...today, title: 'Changed again' });
    const stale = await commands.run({ PAGE_PASSWORD: 'another password' }, 'apply', 'page.json');
    expect(stale).toMatchObject({ status: 1, out: expect.stringContaining('The status page "example" has changed since it was planned') });
    expect(await commands.run(env, 'apply', 'page', '--yes')).toMatchObject({ status: 0, out: 'Changed 1 status page\n' });
    expect((await only()).title).toBe('Example');
  });

  it('survives pull, delete and apply, and keeps the comments of its file', async () => {
    const before = await only();
    expect(await commands.run({}, 'pull', 'page')).toMatchObject({ status: 0, out: expect.stringMatching(/ and 1 status page to page\n/) });
    expect(commands.read('page/status.yaml')).toBe(page);
    rmSync(join(commands.folder, 'page/status.yaml'));
    await commands.run({}, 'pull', 'page');
    const pulled = commands.read('page/status-page-example.yaml');
    expect(pulled).toContain('password: ${env:STATUS_PAGE_EXAMPLE_PASSWORD}');
    await api.delete(`/status-pages/${before.id}`);
    expect(
      await commands.run({ STATUS_PAGE_EXAMPLE_PASSWORD: 'open sesame' }, 'apply', 'page/status-page-example.yaml', '--yes'),
    ).toMatchObject({
      status: 0,
    });
    const ofThis = { id: expect.anything(), createdAt: expect.anything(), changedAt: expect.anything() };
    expect(await only()).toEqual({ ...before, ...ofThis });
  });

  it('names what an item shows and what is not there, and takes no password in the file', async () => {
    commands.write('page/status.yaml', page.replace('check: front', 'check: rear').replace('${env:PAGE_PASSWORD}', 'open sesame'));
    commands.write('alone.yaml', page.replace('project: paged }', 'project: nowhere }'));
    rmSync(join(commands.folder, 'page/status-page-example.yaml'));
    const { out } = await commands.run(env, 'validate', 'page');
    expect(out).toContain('page/status.yaml:5:3 statusPage.password: must be a reference such as ${env:NAME}');
    commands.write('page/status.yaml', page.replace('check: front', 'check: rear'));
    expect((await commands.run(env, 'validate', 'page')).out).toContain(
      'status.yaml:14:42 statusPage.groups.0.items.2.check: the site paged has no check with the key or name "rear"',
    );
    expect(await commands.run(env, 'plan', 'alone.yaml')).toMatchObject({
      status: 1,
      out: expect.stringContaining('project nowhere: is neither on the server nor in the files'),
    });
  });

  it('cannot be taken from those who may edit it', async () => {
    const { api: stranger } = await people.register('stranger');
    const other = { WATCHLEDGER_TOKEN: await tokenOf(stranger) };
    commands.write(
      'taken.yaml',
      'key: taken\nurl: https://taken.example\n---\nstatusPage: { slug: example, title: Mine, groups: [{ items: [{ name: A, project: taken }] }] }\n',
    );
    expect(await commands.run(other, 'plan', 'taken.yaml')).toMatchObject({
      status: 1,
      out: expect.stringContaining('"example" is the slug of another status page'),
    });
    const { id } = await only();
    expect((await stranger.get(`/status-pages/${id}/file`)).status).toBe(404);
  });
});
