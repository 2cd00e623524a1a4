import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsInt, Max, Min } from 'class-validator';
import type { RoleId } from '../../domain/project/roles.ts';
import { IsEmailAddress } from '../validation/email.ts';
import { AsNumber, AsWord, Trimmed } from '../validation/transforms.ts';

const roleIds: readonly RoleId[] = ['4', '5', '6'];
const MAX_USER_ID = 2_147_483_647;

export class AddMemberDto {
  @Trimmed() @IsEmailAddress() email!: string;
  /** A string or a number. */
  @AsWord() @IsIn(roleIds) role!: RoleId;
}

export class ChangeRoleDto {
  @AsWord() @IsIn(roleIds) role!: RoleId;
}

export class RemoveMembersDto {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1000)
  @IsInt({ each: true })
  @Min(1, { each: true })
  @Max(MAX_USER_ID, { each: true })
  users!: number[];
}

export class TransferDto {
  @AsNumber() @IsInt() @Min(1) @Max(MAX_USER_ID) userId!: number;
}
