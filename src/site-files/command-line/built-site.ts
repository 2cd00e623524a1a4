import { settled } from '../../projects/areas/wanted.ts';
import { publicArea } from '../../projects/areas/area.settings.ts';
import { initialSettings } from '../../projects/project.settings.ts';
import { settingsOf } from '../../projects/writable-settings.dto.ts';
import { placed, type ReadSite } from '../read-site-file.ts';
import type { SiteFile } from '../site-file.dto.ts';
import { SiteInput, plainKeyring } from '../site-input.ts';
import type { YamlProblem } from '../yaml-text.ts';
import { RuleValidation } from '../../projects/checks/rule-validation.ts';
import type { TrialService } from '../../checker/trial/trial.service.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import type { KeptAnswers } from '../../platform/observations/pages/kept-answers.ts';
import type { RunStore } from '../../platform/observations/runs/run-store.ts';
import type { AreaRow } from '../../projects/areas/area.view.ts';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import type { ProjectRow } from '../../projects/project.view.ts';
import { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';

export interface BuiltGroup {
  readonly area: AreaRow;
  readonly checks: readonly CheckRow[];
}

/** A site as the checker takes it. */
export interface BuiltSite {
  readonly project: ProjectRow;
  readonly groups: readonly BuiltGroup[];
}

/** Settings by the rules of the service, without a service. */
export class SiteBuilder {
  /** The user of the command reaches those networks anyway, and a build tests what it has just started. */
  private readonly guard = new SsrfGuard({ allowed: ['0.0.0.0/0', '::/0'] });
  private readonly input = new SiteInput(
    this.guard,
    new RuleValidation(async (expressions) => (await this.trials()).syntaxProblems(expressions)),
  );
  private opened: Promise<TrialService> | undefined;

  /** Loaded when it is needed: the checker is most of what a command would load. */
  trials(): Promise<TrialService> {
    return (this.opened ??= openTrials(this.guard));
  }

  async build({
    site,
    document,
  }: Pick<ReadSite, 'site' | 'document'>): Promise<{ readonly built: BuiltSite; readonly problems: readonly YamlProblem[] }> {
    const project = projectOf(site);
    const { wanted, problems } = await this.input.read(site, project);
    const groups = wanted.groups.map((group, index): BuiltGroup => {
      const id = `${project.id}/${String(index)}`;
      const settings = { ...publicArea, ...settled(publicArea, group.settings, '') };
      return {
        area: { id, projectId: project.id, settings, foundChecksum: null, firstChecksum: null, order: index },
        checks: group.checks.map((check, order) => ({
          id: `${id}/${String(order)}`,
          projectId: project.id,
          areaId: id,
          settings: check.settings,
          order,
        })),
      };
    });
    return { built: { project, groups }, problems: problems.length === 0 ? [] : placed(new InvalidInput(problems), document, '') };
  }

  async close(): Promise<void> {
    await (await this.opened)?.onApplicationShutdown();
  }
}

async function openTrials(guard: SsrfGuard): Promise<TrialService> {
  const { TrialService: Trials } = await import('../../checker/trial/trial.service.ts');
  // Nothing asks what past runs show.
  const [answers, runs] = [{} as KeptAnswers, { haveEnded: () => Promise.resolve(false) } as Pick<RunStore, 'haveEnded'>];
  return new Trials(guard, plainKeyring, answers, runs as RunStore);
}

function projectOf(site: SiteFile): ProjectRow {
  const { host } = new URL(site.url);
  const initial = initialSettings({ url: site.url, host, period: null }, { defaultPeriod: '1 day' }, site.location ?? 'eu');
  return {
    id: site.key,
    payerId: 0,
    apiKey: { subject: '', sealed: '' },
    preset: false,
    createdAt: '',
    isWordPress: null,
    members: [],
    invitations: [],
    transfer: null,
    settings: { ...initial, ...settingsOf(site, { title: initial.title, uptimeUrl: '' }), url: site.url },
  };
}
