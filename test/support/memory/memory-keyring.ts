import { randomBytes } from 'node:crypto';
import type { Sealed } from '../../../src/kernel/event.ts';
import { type Keyring, SubjectErased } from '../../../src/platform/security/keyring/keyring.ts';
import { SubjectKey } from '../../../src/platform/security/keyring/subject-key.ts';

/** For unit tests and simulations: keys are lost with the process. */
export class MemoryKeyring implements Keyring {
  private readonly keys = new Map<string, SubjectKey | null>();

  async seal(subject: string, text: string): Promise<Sealed> {
    const known = this.keys.get(subject);
    if (known === null) throw new SubjectErased(subject);
    const key = known ?? new SubjectKey(subject, randomBytes(32));
    this.keys.set(subject, key);
    return Promise.resolve(key.seal(text));
  }

  sealFirst(subject: string, text: string): Promise<Sealed> {
    return this.seal(subject, text);
  }

  async open(sealed: Sealed): Promise<string | null> {
    return Promise.resolve(this.keys.get(sealed.subject)?.open(sealed) ?? null);
  }

  async erase(subject: string): Promise<void> {
    this.keys.set(subject, null);
    await Promise.resolve();
  }
}
