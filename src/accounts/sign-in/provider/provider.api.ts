import { filledText, matching, nullable, yesOrNo } from '../../../platform/http/validation/fields.ts';
import { Input, Optional, OptionalOrNull, Required, RequiredIf, queryOf } from '../../../platform/http/validation/input.ts';
import { expiry, loginToken, TOKEN } from '../authenticate.api.ts';
import { asText, json, may, type Operations, type Refusal, takes, why } from '../../../platform/http/description/operation.ts';
import { list, named, record, text } from '../../../platform/http/description/schema.ts';
import { done, nextCursor } from '../../../platform/http/description/vocabulary.ts';
import { shortList } from '../../../platform/http/lists/list.ts';

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

const provider = record('A provider', {
  name: text('Its name', { examples: ['Example login'] }),
  path: text('Where a sign-in begins', { examples: ['/api/authenticate/provider'] }),
});
const providers = named(
  'SignInProviders',
  record('Providers through which people can sign in', { providers: list(provider, 'At most one') }, { nextCursor }),
);

const NONE = why('The installation has no sign-in provider');
const asPage = (reason: string): Refusal => ({ why: reason, asPage: true });
const CODE = { code: 'Zm9ydHktdHdvIGNoYXJhY3RlcnMgb2YgYmFzZTY0dXJs' };
const VERIFIED = { ...CODE, verifier: 'bm9ib2R5IGVsc2Uga25vd3MgdGhpcyB0ZXh0' };

export const providerOperations: Operations = {
  'GET /authenticate/providers': {
    id: 'listSignInProviders',
    tag: 'Authentication',
    summary: 'List the sign-in providers',
    list: shortList(provider, { name: 'providers', member: 'providers', key: 'name', sorts: ['name'] }),
    answer: json(providers),
  },
  'GET /authenticate/provider': {
    id: 'beginProviderSignIn',
    tag: 'Authentication',
    summary: 'Begin a sign-in through the provider',
    description: 'To be opened in a browser, which is redirected (302) to the provider. Takes either `returnTo` or `challenge`.',
    query: queryOf(BeginProviderSignInDto),
    answer: {},
    redirect: 'To the provider, with a cookie that the browser comes back with',
    refusals: { 404: NONE, 503: why('The provider cannot be reached') },
  },
  'GET /authenticate/provider/callback': {
    id: 'finishProviderSignIn',
    tag: 'Authentication',
    summary: 'End of a sign-in at the provider',
    description:
      'Opened by the provider. Leads to `returnTo` with a one-time code in the fragment, `#code=…`, or shows the code on a page. A browser gets refusals as a page, too.',
    query: {
      code: may(text('Of the provider')),
      state: may(text('Of the sign-in')),
      iss: may(text('The provider')),
      error: may(text('Of the provider')),
    },
    answer: asText('text/html', 'A page with the one-time code'),
    redirect: 'To `returnTo`, with the one-time code in the fragment',
    refusals: {
      403: asPage('The provider refused, the answer is forged, used or expired, or there is no account that may be linked'),
      404: asPage(NONE.why),
      503: asPage('The provider cannot be reached'),
    },
  },
  'POST /authenticate/provider/token': {
    id: 'exchangeSignInCode',
    tag: 'Authentication',
    summary: 'Exchange a code for a login token',
    description: 'Once, by the browser that began the sign-in, or with the verifier. Answers as `POST /authenticate`.',
    body: takes(ExchangeCodeDto, { ...VERIFIED, exp: '+8 hours' }),
    answer: { ...asText('text/plain', 'The token, a JWT', TOKEN), ...json(loginToken) },
    refusals: { 403: why('The code is not valid here'), 404: NONE },
  },
  'POST /authenticate/provider/confirm': {
    id: 'confirmSignIn',
    tag: 'Authentication',
    summary: 'Confirm who you are through the provider',
    description:
      'With a code of a sign-in that was begun with `confirm=true`. The login token of this request then counts as a recent sign-in.',
    body: takes(ConfirmSignInDto, VERIFIED),
    answer: done,
    refusals: { 403: why('The code is not valid here, or is of another account'), 404: NONE },
  },
};
