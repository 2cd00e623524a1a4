import { type SystemRole, systemRoles } from '../../accounts/account.settings.ts';
import type { TokenScope } from '../../accounts/token-scopes.ts';
import type { RoleId } from '../../accounts/rights/roles.ts';
import { addresses, scopes } from '../../accounts/new-token.dto.ts';
import { expiry, ownCode, ownPassword } from '../../accounts/sign-in/authenticate.dto.ts';
import { role } from '../members/member.dto.ts';
import { filledText, oneOf, trimmed } from '../../platform/http/validation/fields.ts';
import { Input, Optional, OptionalOrNull, Required } from '../../platform/http/validation/input.ts';

const name = trimmed(filledText('Name, which the history shows', 100));

@Input('NewServiceAccount', 'Name and role of a service account')
export class CreateServiceAccountDto {
  @Required(name) name!: string;
  @Required(role) role!: RoleId;
}

@Input('ServiceAccountChange', 'What is to change of a service account')
export class ChangeServiceAccountDto {
  @Optional(name) name?: string;
  @Optional(role) role?: RoleId;
}

const systemRole = oneOf('auditor: reads everything; admin: also runs projections and changes destinations', systemRoles);

@Input('NewInstallationServiceAccount', 'Name and system role of a service account of the installation')
export class CreateInstallationServiceAccountDto {
  @Required(name) name!: string;
  @Required(systemRole) role!: SystemRole;
}

@Input('InstallationServiceAccountChange', 'What is to change of a service account of the installation')
export class ChangeInstallationServiceAccountDto {
  @Optional(name) name?: string;
  @Optional(systemRole) role?: SystemRole;
}

@Input('NewServiceToken', 'Purpose, expiry and limits of a token of a service account')
export class CreateServiceTokenDto {
  @Required(trimmed(filledText('Purpose', 200))) name!: string;
  @OptionalOrNull(expiry('+1 year')) exp?: string | null;
  @OptionalOrNull(scopes) scopes?: TokenScope[] | null;
  @OptionalOrNull(addresses) addresses?: string[] | null;
  @OptionalOrNull(ownPassword) password?: string | null;
  @OptionalOrNull(ownCode) code?: string | null;
}
