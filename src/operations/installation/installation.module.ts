import { Module } from '@nestjs/common';
import { BudgetsModule } from '../../accounts/budgets/budgets.module.ts';
import { InstallationController } from './installation.controller.ts';

@Module({ imports: [BudgetsModule], controllers: [InstallationController] })
export class InstallationModule {}
