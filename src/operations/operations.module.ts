import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.ts';
import { InstallationController } from './installation/installation.controller.ts';

/** What an installation is and how it does. */
@Module({
  imports: [AccountsModule],
  controllers: [InstallationController],
})
export class OperationsModule {}
