import { Module } from '@nestjs/common';
import { AddMemberHandler } from '../../commands/member/add-member.command.ts';
import { RemoveMembersHandler } from '../../commands/member/remove-members.command.ts';
import { TransferProjectHandler } from '../../commands/member/transfer-project.command.ts';
import { AccountModule } from '../account/account.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { Invitation } from './invitation.ts';
import { MemberReading } from './member-reading.ts';
import { MemberController } from './member.controller.ts';

@Module({
  imports: [AuthModule, AccountModule],
  controllers: [MemberController],
  providers: [Invitation, MemberReading, AddMemberHandler, RemoveMembersHandler, TransferProjectHandler],
})
export class MemberModule {}
