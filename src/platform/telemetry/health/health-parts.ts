import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { coalesced } from '../../../kernel/cached.ts';
import { reasonOf } from '../../../kernel/system-error.ts';

/** Resolves when the part works, rejects with the reason when it does not. */
export type HealthCheck = () => Promise<void> | void;

/** Rejected with by a part that works, but not as it should: shown to operators without affecting the readiness. */
export class Degraded extends Error {
  override readonly name = 'Degraded';
}

interface Registered {
  readonly check: HealthCheck;
  readonly isRequired: boolean;
}

export interface Readiness {
  readonly ready: boolean;
  /** `ok`, `degraded` with the reason, or the error message, for each part. */
  readonly parts: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 2_000;
const KEPT_MS = 500;

/** Readiness of this instance: required parts, and parts that are only shown to operators. Each part of the program registers itself. */
@Injectable()
export class HealthParts implements OnModuleDestroy {
  isStopping = false;
  private readonly checks = new Map<string, Registered>();
  /** The answer to everybody who asks within `KEPT_MS`: it takes queries. */
  readonly readiness = coalesced(() => this.checkAll(), KEPT_MS);

  register(name: string, check: HealthCheck): void {
    this.checks.set(name, { check, isRequired: true });
    this.readiness.forget();
  }

  /** Shown to operators without affecting the readiness. */
  show(name: string, check: HealthCheck): void {
    this.checks.set(name, { check, isRequired: false });
    this.readiness.forget();
  }

  /** Not ready from the first step of the shutdown, so that a load balancer sends no more requests while the last ones are answered. */
  stop(): void {
    this.isStopping = true;
    this.register('service', () => Promise.reject(new Error('is shutting down')));
  }

  onModuleDestroy(): void {
    this.stop();
  }

  private async checkAll(): Promise<Readiness> {
    const parts = await Promise.all(
      [...this.checks].map(async ([name, { check, isRequired }]) => ({ name, isRequired, outcome: await outcomeOf(check) })),
    );
    return {
      ready: parts.every(({ isRequired, outcome }) => !isRequired || outcome.works),
      parts: Object.fromEntries(parts.map(({ name, outcome }) => [name, outcome.says])),
    };
  }
}

async function outcomeOf(check: HealthCheck): Promise<{ readonly works: boolean; readonly says: string }> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${String(TIMEOUT_MS)} ms`));
    }, TIMEOUT_MS);
  });
  try {
    await Promise.race([Promise.resolve().then(check), timeout]);
    return { works: true, says: 'ok' };
  } catch (error) {
    const reason = reasonOf(error);
    return error instanceof Degraded ? { works: true, says: `degraded: ${reason}` } : { works: false, says: reason };
  } finally {
    clearTimeout(timer);
  }
}
