import { Allow, IsIn, IsInt, IsNotEmpty, IsOptional, IsString, Matches, Max, MaxLength, Min, MinLength, ValidateIf } from 'class-validator';
import { type ReportPeriod, reportPeriods, type SystemRole, systemRoles } from '../../domain/account/settings.ts';
import { MAX_PASSWORD } from '../auth/authenticate.dto.ts';
import { IsEmailAddress } from '../validation/email.ts';
import { IsPlainText } from '../validation/plain-text.ts';
import { IsTimeZone } from '../validation/time-zone.ts';
import { AsNumber, AsWord, Trimmed } from '../validation/transforms.ts';

const MIN_PASSWORD = 8;

export class RegisterDto {
  @Trimmed() @IsEmailAddress() email!: string;
  @IsString() @MinLength(MIN_PASSWORD) @MaxLength(MAX_PASSWORD) password!: string;
  @Trimmed() @IsPlainText(200) @IsNotEmpty() name!: string;
}

/** The other fields of an account are read only: accepted and ignored, so that a client can send back what it got. */
export class UpdateAccountDto {
  @ValidateIf((dto: UpdateAccountDto) => dto.name !== undefined) @Trimmed() @IsPlainText(200) @IsNotEmpty() name?: string;
  @IsOptional() @Trimmed() @IsPlainText(40) @Matches(/^[+\d][\d ()./-]*$|^$/, { message: 'must be a telephone number' }) phone?:
    string | null;
  @ValidateIf((dto: UpdateAccountDto) => dto.timezone !== undefined) @IsTimeZone() timezone?: string;
  @ValidateIf(
    (dto: UpdateAccountDto) => dto.notificationEmail !== undefined && dto.notificationEmail !== null && dto.notificationEmail !== '',
  )
  @Trimmed()
  @IsEmailAddress()
  notificationEmail?: string | null;
  /** Minutes. */
  @ValidateIf((dto: UpdateAccountDto) => dto.notificationDelay !== undefined)
  @AsNumber()
  @IsInt()
  @Min(0)
  @Max(1440)
  notificationDelay?: number;
  @ValidateIf((dto: UpdateAccountDto) => dto.reportPeriod !== undefined) @AsWord() @IsIn(reportPeriods) reportPeriod?: ReportPeriod;

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
  @IsString() @IsNotEmpty() @MaxLength(MAX_PASSWORD) current!: string;
  @IsString() @MinLength(MIN_PASSWORD) @MaxLength(MAX_PASSWORD) new!: string;
}

/** Either the address that a link is wanted for, or the token of a link with the new password. */
export class ResetPasswordDto {
  @ValidateIf((dto: ResetPasswordDto) => dto.token === undefined) @Trimmed() @IsEmailAddress() email?: string;
  @ValidateIf((dto: ResetPasswordDto) => dto.token !== undefined) @IsPlainText(200) @IsNotEmpty() token?: string;
  @ValidateIf((dto: ResetPasswordDto) => dto.token !== undefined)
  @IsString()
  @MinLength(MIN_PASSWORD)
  @MaxLength(MAX_PASSWORD)
  password?: string;
}

export class ConfirmDto {
  @IsPlainText(200) @IsNotEmpty() token!: string;
}

export class CreateTokenDto {
  @Trimmed() @IsPlainText(200) @IsNotEmpty() name!: string;
  /** Read by `readExpiry`. */
  @IsOptional() @IsString() @MaxLength(100) exp?: string;
}

export class AdministerDto {
  @ValidateIf((dto: AdministerDto) => dto.plan !== undefined) @IsPlainText(100) @IsNotEmpty() plan?: string;
  /** Null takes it away. */
  @IsOptional() @IsIn(systemRoles) systemRole?: SystemRole | null;
}

export class ListAccountsDto {
  @IsOptional() @AsNumber() @IsInt() @Min(1) @Max(1000) limit = 100;
  @IsOptional() @IsPlainText(200) cursor?: string;
  /** An id or a whole e-mail address. */
  @IsOptional() @Trimmed() @IsPlainText(254) search?: string;
}
