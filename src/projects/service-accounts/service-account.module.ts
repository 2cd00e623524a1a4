import { Module } from '@nestjs/common';
import { AccountModule } from '../../accounts/account.module.ts';
import { AuthModule } from '../../accounts/sign-in/auth.module.ts';
import { InstallationServiceAccountController } from './installation-service-account.controller.ts';
import { ServiceAccountController } from './service-account.controller.ts';
import { ServiceAccountReading } from './service-account-reading.ts';
import { ServiceAccountActions } from './service-account-actions.ts';

@Module({
  imports: [AuthModule, AccountModule],
  controllers: [ServiceAccountController, InstallationServiceAccountController],
  providers: [ServiceAccountActions, ServiceAccountReading],
})
export class ServiceAccountModule {}
