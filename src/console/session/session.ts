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

/** The page goes first: what it asks for until the answer comes would be refused, and asks for another sign-in over it. */
export async function signOut(): Promise<void> {
  const before = session.value;
  session.value = undefined;
  try {
    await service.delete('/session');
    session.value = null;
  } catch (error) {
    session.value = before;
    throw error;
  }
}
