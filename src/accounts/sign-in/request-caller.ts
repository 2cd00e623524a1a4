import { RequestSlot } from '../../platform/http/context/request-slot.ts';
import { NotAuthenticated } from '../../platform/http/errors/refusals.ts';
import type { BrowserSession } from './session/console-sessions.ts';
import type { TokenClaims } from './token-signer.ts';

/** The claims of the token of the request. */
export const claimsSlot = new RequestSlot<TokenClaims>('claims', () => new NotAuthenticated());
export const CurrentClaims = claimsSlot.parameter();

/** The session of the console that the request carries as a cookie. */
export const sessionSlot = new RequestSlot<BrowserSession>('session');
