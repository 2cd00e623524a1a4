import { Module } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { DestinationTest, openDestinationTest } from './destination-test.ts';
import { type Mailer, MAILER } from '../../platform/mail/mailer.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { ROTATING_SECRETS, type RotatingSecrets } from '../../platform/security/keyring/rotating-secrets.ts';
import { HOOK_GUARD, type SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import { AuthModule } from '../../accounts/sign-in/auth.module.ts';
import { DestinationActions } from './destination-actions.ts';
import { DestinationController } from './destination.controller.ts';
import { DestinationReading } from './destination-reading.ts';
import { InstallationDestinationController } from './installation-destination.controller.ts';

@Module({
  imports: [AuthModule],
  controllers: [DestinationController, InstallationDestinationController],
  providers: [
    DestinationActions,
    DestinationReading,
    {
      provide: DestinationTest,
      useFactory: (config: Config, hookGuard: SsrfGuard, mailer: Mailer, rotating: RotatingSecrets, keyring: Keyring) =>
        openDestinationTest({ config, hookGuard, mailer, rotating, keyring }),
      inject: [CONFIG, HOOK_GUARD, MAILER, ROTATING_SECRETS, Keyring],
    },
  ],
})
export class DestinationModule {}
