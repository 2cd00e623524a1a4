import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { Plans } from '../accounts/plan.ts';
import { readBoundHeaders } from '../projects/checks/bound-headers.ts';
import { initialSettings } from '../projects/project.settings.ts';
import { projectStream } from '../kernel/stream-names.ts';
import type { Sealed } from '../kernel/event.ts';
import { areaView } from '../projects/areas/area.view.ts';
import { checkView } from '../projects/checks/check.view.ts';
import { maintenanceView } from '../projects/maintenance/maintenance.view.ts';
import { objectiveView } from '../projects/objectives/objective.view.ts';
import { readableOf, ViewsAt } from '../platform/read-models/views/views.ts';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import type { ProjectAccess } from '../projects/request-project.ts';
import { FormHtml } from '../projects/areas/form-html.ts';
import { readSettings } from '../alerts/preferences/notification-settings.controller.ts';
import { ProjectReading } from '../projects/project-reading.ts';
import { SiteMembers } from './site-members.ts';
import { type GroupToWrite, type SiteDocument, siteDocument } from './site-document.ts';

/** Writes projects as site files. */
@Injectable()
export class SiteReading {
  constructor(
    private readonly views: ViewsAt,
    private readonly keyring: Keyring,
    private readonly plans: Plans,
    @Inject(CONFIG) private readonly config: Pick<Config, 'locations'>,
    private readonly reading: ProjectReading,
    private readonly html: FormHtml,
    private readonly members: SiteMembers,
  ) {}

  /** As the caller sees it, with the notification settings of the caller. */
  async document(
    access: ProjectAccess,
    caller: Principal,
  ): Promise<{ readonly document: SiteDocument; readonly references: readonly string[] }> {
    const { row: project } = access;
    const scope = projectStream(project.id);
    const views = this.views.now();
    const [areas, checks, objective, maintenance, notifications, planName, members] = await Promise.all([
      views.list(areaView, { scope, order: { by: 'order' } }),
      views.list(checkView, { scope, order: { by: 'order' } }),
      views.get(objectiveView, project.id),
      views.get(maintenanceView, project.id),
      readSettings(views, project.id, caller.userId),
      this.reading.planOf(project),
      this.members.written(access, caller),
    ]);
    const ofAreas = readableOf(areas).rows;
    const ofChecks = readableOf(checks).rows;
    const html = await this.html.of(ofAreas);
    const groups = await Promise.all(
      ofAreas.map(async ({ id, settings }): Promise<GroupToWrite> => ({
        id,
        settings,
        html: html.get(id) ?? '',
        headers: await this.headerNames(settings.headers),
        checks: await Promise.all(
          ofChecks
            .filter(({ areaId }) => areaId === id)
            .map(async (check) => ({ id: check.id, settings: check.settings, headers: await this.headerNames(check.settings.options.w) })),
        ),
      })),
    );
    const { url } = project.settings;
    const plan = this.plans.get(planName) ?? { defaultPeriod: '' };
    return siteDocument({
      settings: project.settings,
      groups,
      members,
      notifications,
      objective,
      maintenance: maintenance?.windows ?? [],
      now: Date.now(),
      initial: initialSettings({ url, host: new URL(url).host, period: null }, plan, this.config.locations[0] ?? 'eu'),
    });
  }

  private async headerNames(saved: Sealed | null): Promise<readonly string[]> {
    if (saved === null) return [];
    const { lines } = readBoundHeaders((await this.keyring.open(saved)) ?? '', '');
    return lines.split('\n').flatMap((line) => (line === '' ? [] : [line.slice(0, line.indexOf(':'))]));
  }
}
