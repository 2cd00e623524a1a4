import { describe, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import type { EmailDirectory } from '../email-directory.ts';
import type { LinkStore } from '../tokens/link-store.ts';
import type { Passwords } from '../passwords/passwords.ts';
import { SettlePassword } from '../passwords/password.commands.ts';
import type { SignInAccount } from '../sessions/session.commands.ts';
import { RequestContexts } from '../../platform/http/context/request-context.ts';
import type { ForcedDomains } from './provider/forced-domains.ts';
import type { LoginThrottle } from './login-throttle.ts';
import type { SecondFactorCheck } from './second-factor-check.ts';
import { SignIn } from './sign-in.ts';

const nothing = (): Promise<void> => Promise.resolve();
const bus = {
  execute: (command: SignInAccount | SettlePassword) => {
    if (command instanceof SettlePassword) return Promise.resolve('nothing was begun');
    const { context, fields } = command;
    context.recordAppend({ position: '7' }, []);
    return Promise.resolve({ tokenId: 'a'.repeat(24), issuedAt: new Date(context.occurredAt), expiresAt: fields.expiresAt });
  },
} as unknown as CommandBus;

describe('signing in', () => {
  it('issues a token only after its owner is readable', async () => {
    const happened: string[] = [];
    const contexts = new RequestContexts({
      gate: { check: () => undefined },
      waitFor: async ({ position }) => {
        await new Promise((later) => setImmediate(later));
        happened.push(`readable up to ${position}`);
      },
    });
    const signIn = new SignIn(
      bus,
      { userIdOf: () => Promise.resolve(2) } as unknown as EmailDirectory,
      { verify: () => Promise.resolve('hash') } as unknown as Passwords,
      { attempt: () => Promise.resolve({ refuseIfExhausted: nothing, recordFailure: nothing }) } as unknown as LoginThrottle,
      { kindsOf: () => Promise.resolve([]) } as unknown as SecondFactorCheck,
      contexts,
      { maxSessions: 100 },
      { refuseAddress: () => undefined } as unknown as ForcedDomains,
      {} as LinkStore,
    );
    await signIn
      .signIn({ email: 'ada@example.com', password: 'correct horse' }, { address: '127.0.0.1', userAgent: null })
      .then(() => happened.push('issued'));
    expect(happened).toEqual(['readable up to 7', 'issued']);
  });
});
