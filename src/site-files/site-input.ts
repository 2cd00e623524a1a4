import type { Keyring } from '../platform/security/keyring/keyring.ts';
import type { WantedArea } from '../projects/areas/area.settings.ts';
import type { CheckSettings } from '../projects/checks/check.settings.ts';
import type { NewWindow } from '../projects/maintenance/maintenance.decider.ts';
import type { ProjectSettings } from '../projects/project.settings.ts';
import type { WantedSite, WantedSiteGroup } from './wanted-site.ts';
import { InvalidInput, type InputProblem, problemOf } from '../kernel/errors.ts';
import type { Sealed } from '../kernel/event.ts';
import { readInstant } from '../kernel/instants.ts';
import type { SsrfGuard } from '../platform/security/ssrf-guard/ssrf-guard.ts';
import { AreaSettingsInput } from '../projects/areas/area-settings.ts';
import { CheckSettingsInput } from '../projects/checks/check-settings.ts';
import { TestUrlInvalid } from '../projects/checks/check-url.ts';
import { SavedBody } from '../projects/checks/saved-body.ts';
import { SavedHeaders } from '../projects/checks/saved-headers.ts';
import { toObjective } from '../projects/objectives/objective.api.ts';
import type { RuleValidation } from '../projects/checks/rule-validation.ts';
import type { SiteFile, SiteFileGroup } from './site-file.dto.ts';

/** For settings that do not leave the process: nothing is encrypted. */
export const plainKeyring: Keyring = {
  seal: (subject, text) => Promise.resolve({ subject, sealed: text }),
  sealFirst: (subject, text) => Promise.resolve({ subject, sealed: text }),
  open: ({ sealed }) => Promise.resolve(sealed),
  erase: () => Promise.resolve(),
};

/** A site by the rules of the API, its secrets not sealed yet. */
export interface ReadWantedSite {
  readonly wanted: WantedSite;
  readonly problems: readonly InputProblem[];
}

/** Turns a site file into settings, by the code that reads the requests of the API. */
export class SiteInput {
  private readonly areas: AreaSettingsInput;
  private readonly checks: CheckSettingsInput;

  constructor(guard: SsrfGuard, validation: RuleValidation) {
    const headers = new SavedHeaders(plainKeyring);
    this.areas = new AreaSettingsInput(plainKeyring, headers, validation);
    this.checks = new CheckSettingsInput(guard, headers, new SavedBody(plainKeyring), validation);
  }

  /** `kept`: paths of secrets without a value, whose saved ones stay. */
  async read(site: SiteFile, project: ProjectOfSite, kept: readonly string[] = []): Promise<ReadWantedSite> {
    const problems: InputProblem[] = [];
    const attempt = async <Made>(path: string, make: () => Promise<Made> | Made): Promise<Made | null> => {
      try {
        return await make();
      } catch (error) {
        problems.push(...problemsAt(path, error));
        return null;
      }
    };
    const groups: WantedSiteGroup[] = [];
    for (const [index, group] of site.groups.entries()) {
      const path = `groups.${String(index)}`;
      const settings = await attempt(path, () => this.group(group, project));
      const checks: { readonly settings: CheckSettings; readonly keeps: readonly string[] }[] = [];
      for (const [place, { key, ...check }] of group.checks.entries()) {
        const pathOfCheck = `${path}.checks.${String(place)}`;
        const made = await attempt(pathOfCheck, () => this.checks.created(check, project));
        if (made !== null) checks.push({ settings: { ...made, ...keyed(key) }, keeps: below(pathOfCheck, kept) });
      }
      if (settings !== null) groups.push({ settings, checks, keeps: below(path, kept).filter((field) => !field.startsWith('checks.')) });
    }
    const { notifications, objective } = site;
    const maintenance = (await attempt('', () => site.maintenance?.map(windowOf))) ?? undefined;
    const promised = objective === undefined ? undefined : toObjective(objective);
    return { wanted: { settings: project.settings, groups, notifications, objective: promised, maintenance }, problems };
  }

  private async group({ checks: _, key, name, ...group }: SiteFileGroup, project: ProjectOfSite): Promise<WantedSiteGroup['settings']> {
    return { ...(await this.areas.created({ ...group, name }, project)), name, ...keyed(key) };
  }
}

export interface ProjectOfSite {
  readonly id: string;
  readonly settings: ProjectSettings;
}

const keyed = (key: string | undefined): { readonly key?: string } => (key === undefined ? {} : { key });

const below = (path: string, fields: readonly string[]): readonly string[] =>
  fields.filter((field) => field.startsWith(`${path}.`)).map((field) => field.slice(path.length + 1));

/** The problems of a refusal, with the paths of their fields from the top of the document. */
function problemsAt(path: string, error: unknown): readonly InputProblem[] {
  const refusal = error instanceof TestUrlInvalid ? new InvalidInput(`url: ${error.message}`) : error;
  if (!(refusal instanceof InvalidInput)) throw error;
  if (path === '') return refusal.problems;
  return refusal.problems.map(({ param, message }) =>
    param === undefined ? { param: path, message } : { param: `${path}.${param}`, message: `${path}.${message}` },
  );
}

function windowOf(given: NonNullable<SiteFile['maintenance']>[number], index: number): Omit<NewWindow, 'windowId'> {
  const [from, to] = [readInstant(given.from), readInstant(given.to)];
  if (from.kind !== 'instant' || to.kind !== 'instant')
    throw new InvalidInput([problemOf(`maintenance.${String(index)}: needs instants in from and to`)]);
  return { from: from.at, to: to.at, offsetMinutes: from.offsetMinutes, note: given.note ?? '', repeat: given.repeat ?? null };
}

/** Seals its secrets. */
export async function sealSecrets(site: WantedSite, seal: (text: string) => Promise<Sealed>): Promise<WantedSite> {
  const sealed = async <Plain extends Sealed | null | undefined>(plain: Plain): Promise<Plain | Sealed> =>
    plain === null || plain === undefined ? plain : seal(plain.sealed);
  const groups = site.groups.map(async ({ settings, checks, keeps }): Promise<WantedSiteGroup> => ({
    settings: { ...(await sealedArea(settings, sealed)), name: settings.name },
    keeps,
    checks: await Promise.all(checks.map(async (check) => ({ ...check, settings: await sealedCheck(check.settings, sealed) }))),
  }));
  return { ...site, groups: await Promise.all(groups) };
}

type SealOne = <Plain extends Sealed | null | undefined>(plain: Plain) => Promise<Plain | Sealed>;

const sealedArea = async ({ form, httpAuth, headers, ...rest }: WantedArea, seal: SealOne): Promise<WantedArea> => ({
  ...rest,
  ...(headers !== undefined && { headers: await seal(headers) }),
  ...(form !== undefined && { form: { ...form, ...(form.params !== undefined && { params: await seal(form.params) }) } }),
  ...(httpAuth !== undefined && {
    httpAuth: { ...httpAuth, ...(httpAuth.password !== undefined && { password: await seal(httpAuth.password) }) },
  }),
});

const sealedCheck = async (settings: CheckSettings, seal: SealOne): Promise<CheckSettings> => {
  const { w, body, ...options } = settings.options;
  return { ...settings, options: { ...options, w: await seal(w), ...(body !== undefined && { body: await seal(body) }) } };
};
