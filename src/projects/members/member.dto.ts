import type { RoleId } from '../../accounts/rights/roles.ts';
import { ownCode, ownPassword } from '../../accounts/sign-in/authenticate.dto.ts';
import { emailAddress, oneOfWords, trimmed, whole, wholes } from '../../platform/http/validation/fields.ts';
import { Input, OptionalOrNull, Required } from '../../platform/http/validation/input.ts';

const roleIds: readonly RoleId[] = ['4', '5', '6'];
export const role = oneOfWords('4: admin, 5: developer, 6: guest', roleIds, { type: 'integer', enum: roleIds.map(Number) });
const MAX_USER_ID = 2_147_483_647;

@Input('NewMember', 'A user and the role in the project')
export class AddMemberDto {
  @Required(trimmed(emailAddress('An address; without an account it is invited', { format: 'email', examples: ['bob@example.com'] })))
  email!: string;
  @Required(role) role!: RoleId;
}

@Input('RoleChange', 'The new role')
export class ChangeRoleDto {
  @Required(role) role!: RoleId;
}

@Input('MemberRemoval', 'The users to remove')
export class RemoveMembersDto {
  @Required(wholes('All of them are removed, or none', { item: 'A user id', minimum: 1, maximum: MAX_USER_ID, maxItems: 1000 }))
  users!: number[];
}

@Input('Transfer', 'The new owner')
export class TransferDto {
  @Required(whole('User id of the new owner', 1, MAX_USER_ID)) userId!: number;
  @OptionalOrNull(ownPassword) password?: string | null;
  @OptionalOrNull(ownCode) code?: string | null;
}
