import { Injectable } from '@nestjs/common';
import type { FirstChecks } from './checks/first-checks.ts';
import type { CheckSettings } from './checks/check.settings.ts';
import { InvalidInput } from '../kernel/errors.ts';
import { AreaSettingsInput } from './areas/area-settings.ts';
import { FormHtml } from './areas/form-html.ts';
import type { CheckDto } from './checks/check.api.ts';
import { CheckSettingsInput } from './checks/check-settings.ts';
import { TestUrlInvalid } from './checks/check-url.ts';
import type { SettingsOwner } from './checks/saved-headers.ts';
import type { RequestContext } from '../platform/http/context/request-context.ts';
import type { FirstAreaDto } from './first-checks.dto.ts';

export interface FirstChecksInput {
  readonly areas?: readonly FirstAreaDto[];
  readonly tests?: readonly CheckDto[];
}

/** Turns the groups and tests of a creation into settings, as their own creation would. */
@Injectable()
export class FirstChecksSettings {
  constructor(
    private readonly areas: AreaSettingsInput,
    private readonly checks: CheckSettingsInput,
    private readonly html: FormHtml,
  ) {}

  async created({ areas = [], tests = [] }: FirstChecksInput, project: SettingsOwner): Promise<FirstChecks> {
    const groups: FirstChecks['groups'][number][] = [];
    for (const [place, area] of areas.entries()) {
      const path = `areas.${String(place)}.`;
      const wanted = await at(path, () => this.areas.created(area, project));
      // A refusal names the field of the request, so it is one after the other.
      const checks = await this.ofTests(area.tests ?? [], `${path}tests.`, project);
      groups.push({ wanted, checks });
    }
    return { groups, checks: await this.ofTests(tests, 'tests.', project) };
  }

  /** The markup of sign-in forms, beside the log; `areaIds` in the order of the request. */
  async keepForms(context: RequestContext, projectId: string, areaIds: readonly string[], areas: readonly FirstAreaDto[]): Promise<void> {
    for (const [place, areaId] of areaIds.entries()) await this.html.keep(context, projectId, areaId, areas[place]?.form?.html);
  }

  private async ofTests(tests: readonly CheckDto[], path: string, project: SettingsOwner): Promise<readonly CheckSettings[]> {
    const settings: CheckSettings[] = [];
    for (const [place, test] of tests.entries())
      settings.push(
        await at(`${path}${String(place)}.`, () => {
          if (test.areaId !== undefined)
            throw new InvalidInput('areaId: must be missing, because the groups of a new project have no id yet');
          return this.checks.created(test, project);
        }),
      );
    return settings;
  }
}

/** A refusal names its field by the path in the request. */
async function at<Made>(path: string, make: () => Promise<Made>): Promise<Made> {
  try {
    return await make();
  } catch (error) {
    const refusal = error instanceof TestUrlInvalid ? new InvalidInput(`url: ${error.message}`) : error;
    if (!(refusal instanceof InvalidInput)) throw refusal;
    throw new InvalidInput(
      refusal.problems.map((problem) => ({
        ...problem,
        message: `${path}${problem.message}`,
        ...(problem.param !== undefined && { param: `${path}${problem.param}` }),
      })),
    );
  }
}
