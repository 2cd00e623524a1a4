import type { RoleId } from '../../domain/project/roles.ts';
import { IsEmailAddress } from '../validation/email.ts';
import { IsOneOf } from '../validation/one-of.ts';
import { AsWord, Trimmed } from '../validation/transforms.ts';
import { AreWhole, IsWhole } from '../validation/whole-number.ts';

const roleIds: readonly RoleId[] = ['4', '5', '6'];
const MAX_USER_ID = 2_147_483_647;

export class AddMemberDto {
  @Trimmed() @IsEmailAddress() email!: string;
  /** A string or a number. */
  @AsWord() @IsOneOf(roleIds) role!: RoleId;
}

export class ChangeRoleDto {
  @AsWord() @IsOneOf(roleIds) role!: RoleId;
}

export class RemoveMembersDto {
  @AreWhole(1, MAX_USER_ID, 1000) users!: number[];
}

export class TransferDto {
  @IsWhole(1, MAX_USER_ID) userId!: number;
}
