import { IssueServiceToken } from './service-account.commands.ts';
import type { TokenScope } from '../../accounts/token-scopes.ts';
import { serviceNumber } from '../../accounts/rights/service-number.ts';
import { readExpiry } from '../../accounts/sign-in/expiry.ts';
import { TokenSigner } from '../../accounts/sign-in/token-signer.ts';
import { scopesOfService } from '../../accounts/rights/scopes.ts';
import type { KnownServiceAccount } from './service-account.view.ts';
import { readNetwork } from '../../platform/security/networks.ts';
import { type CliInput, WrongUse } from '../../platform/cli/command.ts';
import type { ServiceAccountSession } from './service-account-session.ts';

export const TOKEN_OPTIONS = {
  expires: { type: 'string', value: 'TIME', about: 'such as "+3 months", at most a year from now (default: "+1 year")' },
  scopes: { type: 'string', value: 'A,B', about: 'what it may do at most (default: all that its role allows)' },
  addresses: { type: 'string', value: 'A,B', about: 'the networks that it may be used from (default: any)' },
} as const;

interface PrintedToken {
  readonly tid: string;
  readonly token: string;
  readonly expiresAt: string;
}

export async function makeServiceToken(
  { parts, manager, context }: ServiceAccountSession,
  { id, role }: KnownServiceAccount,
  input: CliInput,
): Promise<PrintedToken> {
  const expiry = readExpiry(input.text('expires') ?? '+1 year', Date.now());
  if ('problem' in expiry) throw new WrongUse(`--expires: ${expiry.problem}`);
  const wanted = {
    name: input.args[1] ?? '',
    expiresAt: new Date(expiry.at),
    scopes: scopesIn(input.text('scopes'), scopesOfService(role)),
    addresses: networksIn(input.text('addresses')),
  };
  const issued = await parts.commands.execute(new IssueServiceToken(context(), manager, id, wanted));
  const signer = await TokenSigner.open(parts.rotating.jwt);
  return {
    tid: issued.tokenId,
    token: signer.sign(serviceNumber(id), issued.tokenId, issued),
    expiresAt: issued.expiresAt.toISOString(),
  };
}

const listed = (text: string): readonly string[] => [...new Set(text.split(',').map((one) => one.trim()))];

function scopesIn(text: string | undefined, ofRole: readonly TokenScope[]): readonly TokenScope[] | null {
  if (text === undefined) return null;
  return listed(text).map((given) => {
    const scope = ofRole.find((one) => one === given);
    if (scope === undefined) throw new WrongUse(`--scopes: must be of ${ofRole.join(', ')}, found '${given}'`);
    return scope;
  });
}

function networksIn(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null;
  return listed(text).map((given) => {
    const network = readNetwork(given);
    if (network === null) throw new WrongUse(`--addresses: '${given}' is not a network such as 192.0.2.0/24`);
    return network;
  });
}
