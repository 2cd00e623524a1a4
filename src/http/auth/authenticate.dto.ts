import { IsOptional, IsString, MaxLength } from 'class-validator';
import { IsFilledText, IsPassword } from '../validation/plain-text.ts';

/** The longest password that is hashed: more would only cost time. */
export const MAX_PASSWORD = 1024;

export class AuthenticateDto {
  @IsFilledText(254) email!: string;
  @IsPassword(1, MAX_PASSWORD) password!: string;
  /** Read by `readExpiry`. */
  @IsOptional() @IsString() @MaxLength(100) exp?: string | null;
}
