import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { ServiceAccountController } from './service-account.controller.ts';
import { ServiceAccountReading } from './service-account-reading.ts';
import { ServiceTokenController } from './service-token.controller.ts';

@Module({
  imports: [AuthModule, AccountModule],
  controllers: [ServiceAccountController, ServiceTokenController],
  providers: [ServiceAccountReading],
})
export class ServiceAccountModule {}
