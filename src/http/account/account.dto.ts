import { Allow, IsOptional, IsString, Matches, MaxLength, ValidateIf } from 'class-validator';
import { type ReportPeriod, reportPeriods, type SystemRole, systemRoles } from '../../domain/account/settings.ts';
import { MAX_PASSWORD } from '../auth/authenticate.dto.ts';
import { IsEmailAddress } from '../validation/email.ts';
import { IfGiven } from '../validation/if-given.ts';
import { IsOneOf } from '../validation/one-of.ts';
import { IsFilledText, IsPassword, IsPlainText } from '../validation/plain-text.ts';
import { IsTimeZone } from '../validation/time-zone.ts';
import { AsWord, Trimmed } from '../validation/transforms.ts';
import { IsWhole } from '../validation/whole-number.ts';

const MIN_PASSWORD = 8;

export class RegisterDto {
  @Trimmed() @IsEmailAddress() email!: string;
  @IsPassword(MIN_PASSWORD, MAX_PASSWORD) password!: string;
  @Trimmed() @IsFilledText(200) name!: string;
}

/** The other fields of an account are read only: accepted and ignored, so that a client can send back what it got. */
export class UpdateAccountDto {
  @IfGiven() @Trimmed() @IsFilledText(200) name?: string;
  @IsOptional() @Trimmed() @IsPlainText(40) @Matches(/^[+\d][\d ()./-]*$|^$/, { message: 'must be a telephone number' }) phone?:
    string | null;
  @IfGiven() @IsTimeZone() timezone?: string;
  @ValidateIf(
    (dto: UpdateAccountDto) => dto.notificationEmail !== undefined && dto.notificationEmail !== null && dto.notificationEmail !== '',
  )
  @Trimmed()
  @IsEmailAddress()
  notificationEmail?: string | null;
  /** Minutes. */
  @IfGiven() @IsWhole(0, 1440) notificationDelay?: number;
  @IfGiven() @AsWord() @IsOneOf(reportPeriods) reportPeriod?: ReportPeriod;

  @Allow() id?: unknown;
  @Allow() email?: unknown;
  @Allow() confirmed?: unknown;
  @Allow() confirmTokenExpiration?: unknown;
  @Allow() apiKey?: unknown;
  @Allow() plan?: unknown;
  @Allow() systemRole?: unknown;
  @Allow() created?: unknown;
}

export class ChangePasswordDto {
  @IsPassword(1, MAX_PASSWORD) current!: string;
  @IsPassword(MIN_PASSWORD, MAX_PASSWORD) new!: string;
}

/** Either the address that a link is wanted for, or the token of a link with the new password. */
export class ResetPasswordDto {
  @ValidateIf((dto: ResetPasswordDto) => dto.token === undefined) @Trimmed() @IsEmailAddress() email?: string;
  @ValidateIf((dto: ResetPasswordDto) => dto.token !== undefined) @IsFilledText(200) token?: string;
  @ValidateIf((dto: ResetPasswordDto) => dto.token !== undefined)
  @IsPassword(MIN_PASSWORD, MAX_PASSWORD)
  password?: string;
}

export class ConfirmDto {
  @IsFilledText(200) token!: string;
}

export class CreateTokenDto {
  @Trimmed() @IsFilledText(200) name!: string;
  /** Read by `readExpiry`. */
  @IsOptional() @IsString() @MaxLength(100) exp?: string;
}

export class AdministerDto {
  @IfGiven() @IsFilledText(100) plan?: string;
  /** Null takes it away. */
  @IsOptional() @IsOneOf(systemRoles) systemRole?: SystemRole | null;
}

export class ListAccountsDto {
  @IfGiven() @IsWhole(1, 1000) limit = 100;
  @IfGiven() @IsPlainText(200) cursor?: string;
  /** An id or a whole e-mail address. */
  @IfGiven() @Trimmed() @IsPlainText(254) search?: string;
}
