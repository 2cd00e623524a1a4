import { signal } from '@preact/signals';
import { ApiError, type Schemas } from '../../client.ts';
import { isSignedOut, service } from '../service/service.ts';

export type ConsoleSession = Schemas['Session'];

/** Undefined until it is known, null when signed out. */
export const session = signal<ConsoleSession | null | undefined>(undefined);

export async function loadSession(): Promise<void> {
  try {
    signedIn((await service.get('/session')).data);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    session.value = null;
  }
}

export function signedIn(found: ConsoleSession): void {
  session.value = found;
  isSignedOut.value = false;
}

/** Meanwhile other requests of the page are refused, which is no reason to ask for another sign-in over it. */
export const isSigningOut = signal(false);

export async function signOut(): Promise<void> {
  isSigningOut.value = true;
  try {
    await service.delete('/session');
    session.value = null;
  } finally {
    isSigningOut.value = false;
  }
}
