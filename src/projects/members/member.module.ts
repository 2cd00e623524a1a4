import { Module } from '@nestjs/common';
import { AccountModule } from '../../accounts/account.module.ts';
import { AuthModule } from '../../accounts/sign-in/auth.module.ts';
import { InvitationLinkController } from './invitation-link.controller.ts';
import { InvitationMail } from './invitation-mail.ts';
import { InvitationReading } from './invitation-reading.ts';
import { InvitationsController } from './invitations.controller.ts';
import { MemberAddition } from './member-addition.ts';
import { MemberReading } from './member-reading.ts';
import { MemberController } from './member.controller.ts';

@Module({
  imports: [AuthModule, AccountModule],
  controllers: [MemberController, InvitationsController, InvitationLinkController],
  providers: [InvitationMail, InvitationReading, MemberAddition, MemberReading],
  exports: [MemberAddition, MemberReading],
})
export class MemberModule {}
