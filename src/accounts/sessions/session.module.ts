import { Module } from '@nestjs/common';
import { AccountModule } from '../account.module.ts';
import { AuthModule } from '../sign-in/auth.module.ts';
import { SessionAnswers } from './session-answers.ts';
import { SessionController } from './session.controller.ts';

@Module({
  imports: [AuthModule, AccountModule],
  controllers: [SessionController],
  providers: [SessionAnswers],
})
export class SessionModule {}
