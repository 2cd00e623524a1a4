import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { SessionAnswers } from './session-answers.ts';
import { SessionController } from './session.controller.ts';

@Module({
  imports: [AuthModule, AccountModule],
  controllers: [SessionController],
  providers: [SessionAnswers],
})
export class SessionModule {}
