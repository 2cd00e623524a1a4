import { RequestSlot } from '../../platform/http/context/request-slot.ts';
import { NotAuthenticated } from '../../platform/http/errors/refusals.ts';
import type { BrowserSession } from './session/console-sessions.ts';
import type { TokenClaims } from './token-signer.ts';

/** The claims of the token of the request. */
export const claimsSlot = new RequestSlot<TokenClaims>('claims', () => new NotAuthenticated());
export const CurrentClaims = claimsSlot.parameter();

/** Whether the request was counted for the limits of its caller: one with a large body is authenticated twice. */
export const countedSlot = new RequestSlot<boolean>('count of the request');

/** The session of the console that the request carries as a cookie. */
export const sessionSlot = new RequestSlot<BrowserSession>('session');
