import type { WatchledgerClient } from '../client/client.ts';
import type { Schemas } from '../client/types.ts';
import type { CliCommand } from '../platform/cli/command.ts';
import { Progress } from '../platform/cli/progress.ts';
import { connect, serverAddress, serverOptions } from '../platform/cli/server/connect.ts';
import { counted } from '../kernel/text.ts';
import { pageKeyOf } from './command-line/site-requests.ts';
import { PulledFiles } from './command-line/pulled-files.ts';

type Pulled = Schemas['SiteAsCode'];

interface WrittenSite extends Pick<Pulled, 'projectId' | 'references'> {
  readonly key: string;
  readonly file: string;
}

/** docs/site-files.md. */
export const command: CliCommand = {
  about: 'Write the projects and status pages of a server as site files, one file each; comments of files that are there stay',
  args: ['DIR'],
  options: {
    ...serverOptions,
    project: { type: 'string', value: 'ID', about: 'this project only' },
  },
  run: async ({ input, output }) => {
    const [folder = ''] = input.args;
    const client = connect(input);
    const files = new PulledFiles(folder, serverAddress(input));
    const one = input.text('project');
    const sites = one === undefined ? await allSites(client) : [(await client.get('/project/{id}/site', { path: { id: one } })).data];
    const pages = one === undefined ? await allPages(client) : [];
    const names = fileNamesOf(sites);
    const written: WrittenSite[] = [];
    for (const [index, { projectId, key: own, site, references }] of sites.entries()) {
      // Without a key of its own, a project is named by its id: the plan of what was pulled is empty, also once the title is another.
      const key = own ?? projectId;
      written.push({ key, projectId, file: await files.writeSite(key, { ...site, key }, names[index]), references });
    }
    const statusPages = pages.map(({ slug, pageId, document, references: ofPage }) => ({
      slug,
      pageId,
      file: files.write(pageKeyOf({ slug }), document),
      references: ofPage,
    }));
    files.save();
    await files.close();
    const references = [...new Set([...written, ...statusPages].flatMap((object) => object.references))];
    output.result({ sites: written, statusPages }, () =>
      [
        `Wrote ${counted(written.length, 'site')}${pages.length === 0 ? '' : ` and ${counted(pages.length, 'status page')}`} to ${folder}`,
        ...(references.length > 0
          ? ['Their secrets come from these variables, where no file names others:', ...references.map((name) => `  ${name}`)]
          : []),
      ].join('\n'),
    );
    return 0;
  },
};

async function allSites(client: WatchledgerClient): Promise<readonly Pulled[]> {
  const ids: string[] = [];
  for await (const { id } of client.list('/projects')) ids.push(id);
  const progress = new Progress('reading', process.stderr, () => performance.now(), 'sites');
  const sites: Pulled[] = [];
  try {
    for (const id of ids) {
      sites.push((await client.get('/project/{id}/site', { path: { id } })).data);
      progress.report(sites.length, ids.length);
    }
  } finally {
    progress.end();
  }
  return sites;
}

/** Those that the token may edit. */
async function allPages(client: WatchledgerClient): Promise<readonly Schemas['StatusPageAsCode'][]> {
  const { data: pages } = await client.get('/status-pages');
  const files: Schemas['StatusPageAsCode'][] = [];
  for (const { id } of pages) files.push((await client.get('/status-pages/{id}/file', { path: { id } })).data);
  return files;
}

/** What the file of each site is called: its key, else its title where no other has it, else its id. */
function fileNamesOf(sites: readonly Pulled[]): readonly string[] {
  const taken = new Set(sites.flatMap(({ key }) => (key === null ? [] : [key])));
  const titles = sites.map(({ title }) => title.toLowerCase());
  return sites.map(({ key, title, projectId }, index) => {
    if (key !== null) return key;
    const slug = slugOf(title);
    if (slug === '' || taken.has(slug) || titles.some((other, at) => at !== index && other === titles[index])) return projectId;
    taken.add(slug);
    return slug;
  });
}

const slugOf = (title: string): string =>
  title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '');
