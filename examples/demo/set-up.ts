import { randomBytes } from 'node:crypto';
import { OpenAccount } from '../../src/accounts/account.commands.ts';
import { CreateArea } from '../../src/projects/areas/area.commands.ts';
import { CreateCheck } from '../../src/projects/checks/check.commands.ts';
import { AcceptInvitation, InviteMember } from '../../src/projects/members/invitation.commands.ts';
import { CreateProject } from '../../src/projects/project.commands.ts';
import { INSTALLATION_PLAN } from '../../src/accounts/plan.ts';
import { presetCheck } from '../../src/projects/checks/preset.ts';
import type { CheckSettings } from '../../src/projects/checks/check.settings.ts';
import { initialSettings } from '../../src/projects/project.settings.ts';
import type { Actor } from '../../src/kernel/event.ts';
import { derivedId } from '../../src/kernel/ids.ts';
import { DAY, MINUTE } from './happening.ts';
import type { Installation } from './installation.ts';
import type { Outage } from './outages.ts';
import { HOST, PORTS } from './sites.ts';
import { people, type Person, type SiteKey, sites, type StoryCheck, type StorySite } from './story.ts';
import type { WatchedSite } from './site-probes.ts';

export interface WatchedCheck {
  readonly checkId: string;
  readonly settings: CheckSettings;
}

export interface Watched {
  readonly users: Readonly<Record<Person, number>>;
  readonly sites: Readonly<Record<SiteKey, WatchedSite & { readonly checks: ReadonlyMap<string, WatchedCheck> }>>;
}

interface Wanted {
  readonly start: number;
  readonly outages: (site: SiteKey) => readonly Outage[];
}

export const addressOf = ({ isHttps, path }: Pick<StorySite, 'isHttps' | 'path'>): string =>
  `${isHttps ? 'https' : 'http'}://${HOST}:${String(isHttps ? PORTS.https : PORTS.http)}${path}`;

export const actorOf = (userId: number): Actor => ({ kind: 'user', id: String(userId) });

/** Opens the accounts, and makes the projects, groups and checks. */
export async function watchSites(installation: Installation, { start, outages }: Wanted): Promise<Watched> {
  const users = await openAccounts(installation);
  const watched: Partial<Record<SiteKey, Watched['sites'][SiteKey]>> = {};
  for (const [index, key] of (Object.keys(sites) as SiteKey[]).entries()) {
    await installation.past.goTo(start + index * 7 * MINUTE);
    const site: StorySite = sites[key];
    const { projectId, checks } = await makeProject(installation, users, site);
    const from = Date.now() + MINUTE;
    watched[key] = { ...site, projectId, checks, url: addressOf(site), seed: 11 + index * 7, from, outages: outages(key) };
  }
  // Every site has a row by now.
  return { users, sites: watched as Watched['sites'] };
}

/** The first account is opened as by a first start that was interrupted: the next one completes it, and shows how to sign in. */
async function openAccounts(installation: Installation): Promise<Watched['users']> {
  const open = async ({ email, name }: (typeof people)[Person], isFirst: boolean): Promise<number> => {
    const actor = { kind: 'cli', id: isFirst ? 'installation' : 'accounts' } as const;
    const context = installation.context(actor, isFirst ? { commandId: derivedId('first-account') } : {});
    const { userId } = await installation.execute(
      new OpenAccount(context, {
        wanted: {
          ...{ email, name, password: randomBytes(18).toString('base64url'), plan: INSTALLATION_PLAN, confirmed: true },
          ...(isFirst ? { systemRole: 'admin', by: 'installation' } : { systemRole: null, by: 'administrator' }),
        },
      }),
    );
    return userId;
  };
  return { ada: await open(people.ada, true), ben: await open(people.ben, false), carla: await open(people.carla, false) };
}

async function makeProject(
  installation: Installation,
  users: Watched['users'],
  site: StorySite,
): Promise<{ readonly projectId: string; readonly checks: ReadonlyMap<string, WatchedCheck> }> {
  const context = () => installation.context(actorOf(users.ada));
  const url = addressOf(site);
  const settings = {
    ...initialSettings({ url, host: new URL(url).host, period: '1 hour' }, { defaultPeriod: '1 hour' }, 'eu'),
    title: site.title,
    tags: site.tags,
  };
  const { projectId } = await installation.execute(
    new CreateProject(context(), { payerId: users.ada, settings, beginning: { preset: false } }),
  );
  const checks = new Map<string, WatchedCheck>();
  for (const [name, ofGroup] of Object.entries(site.groups)) {
    const areaId = await installation.execute(new CreateArea(context(), { projectId, wanted: { name } }));
    for (const check of ofGroup) {
      const wanted = settingsOf(check);
      const checkId = await installation.execute(new CreateCheck(context(), { projectId, areaId, settings: wanted }));
      checks.set(check.path, { checkId, settings: wanted });
    }
  }
  for (const [person, role] of site.members) await join(installation, users, { projectId, person, role });
  return { projectId, checks };
}

const settingsOf = ({ name, path, rules }: StoryCheck): CheckSettings =>
  presetCheck(
    name,
    path,
    'simple',
    rules.map((rule, order) => ({ ...rule, origin: 'user', templateId: '', order })),
  );

async function join(
  installation: Installation,
  users: Watched['users'],
  { projectId, person, role }: { readonly projectId: string; readonly person: Person; readonly role: '4' | '5' | '6' },
): Promise<void> {
  let invitationId = '';
  const context = installation.context(actorOf(users.ada), {
    recordAppend: (_, events) => {
      for (const { type, data } of events) if (type === 'MemberInvited') ({ invitationId } = data as { invitationId: string });
    },
  });
  const until = new Date(Date.now() + 7 * DAY);
  await installation.execute(
    new InviteMember(context, { projectId, email: people[person].email, role, by: users.ada, expiresAt: until, most: 100 }),
  );
  await installation.execute(new AcceptInvitation(installation.context(actorOf(users[person])), { invitationId, userId: users[person] }));
}
