import pg from 'pg';
import { settled } from '../../domain/area/wanted.ts';
import { publicArea } from '../../domain/area/settings.ts';
import { initialSettings } from '../../domain/project/settings.ts';
import { AreaSettingsInput } from '../../http/area/area-settings.ts';
import { CheckSettingsInput } from '../../http/check/check-settings.ts';
import { TestUrlInvalid } from '../../http/check/check-url.ts';
import { SavedBody } from '../../http/check/saved-body.ts';
import { SavedHeaders } from '../../http/check/saved-headers.ts';
import { settingsOf } from '../../http/project/writable-settings.dto.ts';
import { placed, type ReadSite } from '../../http/site-files/read-site-file.ts';
import type { SiteFile } from '../../http/site-files/site-file.dto.ts';
import type { YamlProblem } from '../../http/site-files/yaml-text.ts';
import { TrialService } from '../../http/trial/trial.service.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { KeptAnswers } from '../../observations/pages/kept-answers.ts';
import type { RunStore } from '../../observations/runs/run-store.ts';
import type { AreaRow } from '../../projections/read-models/area/area.view.ts';
import type { CheckRow } from '../../projections/read-models/check/check.view.ts';
import type { ProjectRow } from '../../projections/read-models/project/project.view.ts';
import type { Keyring } from '../../security/keyring/keyring.ts';
import { SsrfGuard } from '../../security/ssrf-guard/ssrf-guard.ts';

export interface BuiltGroup {
  readonly area: AreaRow;
  readonly checks: readonly CheckRow[];
}

/** A site as the checker takes it. */
export interface BuiltSite {
  readonly project: ProjectRow;
  readonly groups: readonly BuiltGroup[];
}

/** Nothing leaves this process, so nothing is encrypted. */
const plainKeyring: Keyring = {
  seal: (subject, text) => Promise.resolve({ subject, sealed: text }),
  sealFirst: (subject, text) => Promise.resolve({ subject, sealed: text }),
  open: ({ sealed }) => Promise.resolve(sealed),
  erase: () => Promise.resolve(),
};

/** Settings by the rules of the service, without a service. */
export class SiteBuilder {
  /** The user of the command reaches those networks anyway, and a build tests what it has just started. */
  private readonly guard = new SsrfGuard({ allowed: ['0.0.0.0/0', '::/0'] });
  readonly trials: TrialService;
  private readonly areas: AreaSettingsInput;
  private readonly checks: CheckSettingsInput;

  constructor() {
    // Never connects: nothing asks what past runs show.
    const [pool, runs] = [new pg.Pool(), { haveEnded: () => Promise.resolve(false) } as Pick<RunStore, 'haveEnded'>];
    this.trials = new TrialService(this.guard, plainKeyring, new KeptAnswers(pool), runs as RunStore);
    const headers = new SavedHeaders(plainKeyring);
    this.areas = new AreaSettingsInput(plainKeyring, headers, this.trials);
    this.checks = new CheckSettingsInput(this.guard, headers, new SavedBody(plainKeyring), this.trials);
  }

  async build({ site, document }: ReadSite): Promise<{ readonly built: BuiltSite; readonly problems: readonly YamlProblem[] }> {
    const project = projectOf(site);
    const problems: YamlProblem[] = [];
    const attempt = async <Made>(path: string, make: () => Promise<Made>): Promise<Made | null> => {
      try {
        return await make();
      } catch (error) {
        const refusal = error instanceof TestUrlInvalid ? new InvalidInput(`url: ${error.message}`) : error;
        problems.push(...placed(refusal, document, `${path}.`));
        return null;
      }
    };
    const groups: BuiltGroup[] = [];
    for (const [index, group] of site.groups.entries()) {
      const path = `groups.${String(index)}`;
      const id = `${project.id}/${String(index)}`;
      const wanted = await attempt(path, () => this.areas.created(group, project));
      const checks: CheckRow[] = [];
      for (const [place, check] of group.checks.entries()) {
        const settings = await attempt(`${path}.checks.${String(place)}`, () => this.checks.created(check, project));
        if (settings !== null) checks.push({ id: `${id}/${String(place)}`, projectId: project.id, areaId: id, settings, order: place });
      }
      if (wanted === null) continue;
      const settings = { ...publicArea, ...settled(publicArea, wanted, '') };
      groups.push({ area: { id, projectId: project.id, settings, foundChecksum: null, firstChecksum: null, order: index }, checks });
    }
    return { built: { project, groups }, problems };
  }

  close(): Promise<void> {
    return this.trials.onApplicationShutdown();
  }
}

function projectOf(site: SiteFile): ProjectRow {
  const { host } = new URL(site.url);
  const initial = initialSettings({ url: site.url, host, period: null }, { defaultPeriod: '1 day' }, site.location ?? 'eu');
  return {
    ...{ id: site.key, payerId: 0, apiKey: { subject: '', sealed: '' }, preset: false, createdAt: '', isWordPress: null },
    ...{ members: [], invitations: [], transfer: null },
    settings: { ...initial, ...settingsOf(site, { title: initial.title, uptimeUrl: '' }), url: site.url },
  };
}
