import { Module } from '@nestjs/common';
import { AccountsRoutesModule } from '../accounts/accounts-routes.module.ts';
import { ConsumersController } from './consumers/consumers.controller.ts';
import { InstallationController } from './installation/installation.controller.ts';

/** What an installation is and how it does. */
@Module({
  imports: [AccountsRoutesModule],
  controllers: [InstallationController, ConsumersController],
})
export class OperationsRoutesModule {}
