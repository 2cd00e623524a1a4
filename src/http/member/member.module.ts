import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { Invitation } from './invitation.ts';
import { MemberReading } from './member-reading.ts';
import { MemberController } from './member.controller.ts';

@Module({
  imports: [AuthModule, AccountModule],
  controllers: [MemberController],
  providers: [Invitation, MemberReading],
})
export class MemberModule {}
