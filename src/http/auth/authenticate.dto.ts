import { IsNotEmpty, IsOptional, IsString, MaxLength } from 'class-validator';
import { IsPlainText } from '../validation/plain-text.ts';

/** The longest password that is hashed: more would only cost time. */
export const MAX_PASSWORD = 1024;

export class AuthenticateDto {
  @IsPlainText(254) @IsNotEmpty() email!: string;
  @IsString() @IsNotEmpty() @MaxLength(MAX_PASSWORD) password!: string;
  /** Read by `readExpiry`. */
  @IsOptional() @IsString() @MaxLength(100) exp?: string | null;
}
