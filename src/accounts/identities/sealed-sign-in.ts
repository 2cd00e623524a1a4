import { Injectable } from '@nestjs/common';
import { createHash, randomBytes } from 'node:crypto';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { unwrap, wrap } from '../../platform/security/keyring/master-key.ts';
import type { SignInChecks } from './sign-in-provider.ts';

/** How the one-time code reaches the client: a path of this site that is opened with it, or a program to which the person hands it. */
export type CodeRecipient = { readonly returnTo: string } | { readonly challenge: string };

/** A sign-in that is under way at the provider. */
export interface StartedSignIn extends SignInChecks {
  readonly recipient: CodeRecipient;
  readonly startedAt: number;
}

const SEALED_FOR = 'sign-in at a provider';
export const SIGN_IN_SECONDS = 600;

export const randomToken = (): string => randomBytes(32).toString('base64url');
export const tokenHash = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** The content of a cookie: encrypted and authenticated, so that every instance can read it and nothing is stored for sign-ins that are only begun. */
@Injectable()
export class SealedSignIns {
  constructor(private readonly secrets: Secrets) {}

  async seal(started: StartedSignIn): Promise<string> {
    return wrap(await this.secrets.secret('sign-in'), SEALED_FOR, Buffer.from(JSON.stringify(started))).toString('base64url');
  }

  /** Answers null when the text is forged, damaged or too old. */
  async open(sealed: string): Promise<StartedSignIn | null> {
    const key = await this.secrets.secret('sign-in');
    try {
      // Only what `seal` wrote can be unwrapped.
      const started = JSON.parse(unwrap(key, SEALED_FOR, Buffer.from(sealed, 'base64url')).toString()) as StartedSignIn;
      return Date.now() - started.startedAt > SIGN_IN_SECONDS * 1000 ? null : started;
    } catch {
      return null;
    }
  }
}
