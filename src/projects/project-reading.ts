import { Injectable } from '@nestjs/common';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { Plans } from '../accounts/plan.ts';
import { type RoleId, switchesOf } from '../accounts/rights/roles.ts';
import { accountView } from '../accounts/account.view.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import type { ProjectRow } from './project.view.ts';
import { requestNow } from '../platform/http/as-of/as-of.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import type { ProjectAccess } from './request-project.ts';
import { NotFound } from '../platform/http/errors/refusals.ts';
import { accessOf } from '../accounts/rights/project-rights.ts';
import { permissionsOf } from '../accounts/rights/scopes.ts';
import type { ProjectInFullAnswer } from './project.api.ts';
import type { ListedProject } from './project-list.ts';
import { type KnownFacts, type Presented, presentProject, ProjectFindings } from './project.presenter.ts';

interface Known {
  readonly row: ProjectRow;
  readonly facts: KnownFacts;
}

/** Presents projects; the API key is opened for callers who may see it. */
@Injectable()
export class ProjectReading {
  constructor(
    private readonly views: ViewsAt,
    private readonly keyring: Keyring,
    private readonly plans: Plans,
    private readonly findings: ProjectFindings,
  ) {}

  /** As its creator, the owner, sees it. */
  async created(projectId: string): Promise<object> {
    const found = await this.findings.known(this.views.now(), projectId);
    if (found === null) throw new NotFound();
    return presentProject(await this.presented(found, '4', true));
  }

  /** docs/spec/interface.md#get-project. */
  async inFull({ row, role, owner, facts }: ProjectAccess, caller: Principal): Promise<ProjectInFullAnswer> {
    const known = facts ?? (await this.findings.known(this.views.now(), row.id))?.facts;
    if (known === undefined) throw new NotFound();
    return {
      ...presentProject(await this.presented({ row, facts: known }, role, owner)),
      permissions: permissionsOf({ role, owner }, caller),
    };
  }

  async listed({ row, facts, today }: ListedProject, caller: Principal): Promise<object> {
    const { role, owner } = accessOf(today.id, today, caller);
    return presentProject({ ...(await this.opened(row, role, owner)), facts });
  }

  /** The plan of a project is its owner's. */
  async planOf(row: Pick<ProjectRow, 'payerId'>): Promise<string> {
    const owner = await this.views.now().get(accountView, String(row.payerId));
    return owner?.plan ?? this.plans.keys().next().value ?? '';
  }

  private async presented({ row, facts }: Known, role: RoleId | null, owner: boolean): Promise<Presented> {
    const [opened, found] = await Promise.all([this.opened(row, role, owner), this.findings.of(row, facts, requestNow())]);
    return { ...opened, facts: found };
  }

  private async opened(row: ProjectRow, role: RoleId | null, owner: boolean): Promise<Omit<Presented, 'facts'>> {
    const apiKey = switchesOf(role, owner).apiKey ? ((await this.keyring.open(row.apiKey)) ?? '') : '';
    return { id: row.id, row, apiKey };
  }
}
