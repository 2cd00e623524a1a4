import { Controller, Get, Inject } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { programVersion } from '../../platform/config/program.ts';
import { Plans } from '../../accounts/plan.ts';
import { AccountBudgets } from '../../accounts/budgets/account-budgets.ts';
import { inUtc } from '../../platform/http/presentation/answers.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { systemAdmin, systemReader } from '../../accounts/rights/right.ts';
import { DOCTOR, type Doctor } from '../doctor/finding.ts';
import type { ExaminationAnswer, InstallationAnswer } from './installation.api.ts';

/** For the people who administer the installation (docs/spec/beyond.md#b13-console). */
@Controller('ops')
export class InstallationController {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'eventStoreUrl' | 'roles' | 'defaultPlan'>,
    private readonly plans: Plans,
    private readonly budgets: AccountBudgets,
    @Inject(DOCTOR) private readonly doctor: Doctor,
  ) {}

  @Get('installation')
  @Needs(systemReader)
  installation(): InstallationAnswer {
    const { eventStoreUrl, roles, defaultPlan } = this.config;
    return {
      version: programVersion(),
      engine: eventStoreUrl === undefined ? 'postgres' : 'kurrentdb',
      roles,
      defaultPlan,
      plans: [...this.plans.values()].map((plan) => ({
        name: plan.name,
        apiAccess: plan.apiAccess,
        maxProjects: plan.maxProjects,
        defaultPeriod: plan.defaultPeriod,
        minUptimePeriod: plan.minUptimePeriod,
        secondFactor: plan.secondFactor ?? false,
        budgets: this.budgets.of(plan.name),
      })),
    };
  }

  @Get('doctor')
  @Needs(systemAdmin)
  async examine(): Promise<ExaminationAnswer> {
    const { examinedAt, findings } = await this.doctor();
    return {
      examinedAt: inUtc(examinedAt),
      healthy: findings.every(({ state }) => state !== 'fail'),
      findings: findings.map(({ name, state, found, advice = null }) => ({ name, state, found, advice })),
    };
  }
}
