import { filledText, matching, nullable, yesOrNo } from '../../../platform/http/validation/fields.ts';
import { Input, Optional, OptionalOrNull, Required, RequiredIf } from '../../../platform/http/validation/input.ts';
import { expiry } from '../authenticate.dto.ts';

/** A path of this site. A second slash, or a backslash, would make it an address of another; a fragment carries the code. */
const returnPath = matching(
  'Path that is opened at the end, with `#code=…`; for pages of this site',
  /^\/(?:[\x21\x22\x24-\x2e\x30-\x5b\x5d-\x7e][\x21\x22\x24-\x5b\x5d-\x7e]{0,498})?$/,
  'must be a path such as /console, without a fragment',
);

const challenge = matching(
  'For programs: the SHA-256 hash of a random verifier, in base64url',
  /^[A-Za-z0-9_-]{43}$/,
  'must be 43 characters of base64url; exactly one of returnTo and challenge is needed',
);

export class BeginProviderSignInDto {
  @Optional(returnPath) returnTo?: string;
  @RequiredIf(challenge, ({ returnTo }: Partial<BeginProviderSignInDto>) => returnTo === undefined) challenge?: string;
  @Optional(yesOrNo('To confirm who you are: the provider asks again, and the code confirms a token', { default: false })) confirm = false;
}

const code = filledText('The one-time code, valid for two minutes', 100);
const verifier = nullable(filledText('For programs: the verifier of `challenge`. A browser shows its cookie instead', 200));

@Input('SignInCode', 'The code with which a sign-in through the provider ended')
export class ExchangeCodeDto {
  @Required(code) code!: string;
  @OptionalOrNull(verifier) verifier?: string | null;
  @OptionalOrNull(nullable(expiry('+1 hour'))) exp?: string | null;
}

@Input('ConfirmationCode', 'The code with which a confirmation through the provider ended')
export class ConfirmSignInDto {
  @Required(code) code!: string;
  @OptionalOrNull(verifier) verifier?: string | null;
}
