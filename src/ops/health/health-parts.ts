import { Injectable } from '@nestjs/common';
import { reasonOf } from '../system-error.ts';

/** Resolves when the part can do its work, rejects with the reason when it cannot. */
export type HealthCheck = () => Promise<void> | void;

export interface Readiness {
  readonly ready: boolean;
  /** `ok`, or what is wrong, for each part. */
  readonly parts: Readonly<Record<string, string>>;
}

const PATIENCE_MS = 2_000;

/** The parts that must work before this instance should get requests. Each part of the program registers its own. */
@Injectable()
export class HealthParts {
  private readonly checks = new Map<string, HealthCheck>();
  private running: Promise<Readiness> | undefined;

  register(name: string, check: HealthCheck): void {
    this.checks.set(name, check);
  }

  /** From here on not ready, so that a balancer sends nobody any more while the last requests end. */
  drain(): void {
    this.register('service', () => Promise.reject(new Error('is shutting down')));
  }

  /** However many ask at once, the parts are asked once. */
  look(): Promise<Readiness> {
    this.running ??= this.lookAtAll().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async lookAtAll(): Promise<Readiness> {
    const parts = await Promise.all([...this.checks].map(async ([name, check]) => [name, await outcomeOf(check)] as const));
    return { ready: parts.every(([, outcome]) => outcome === 'ok'), parts: Object.fromEntries(parts) };
  }
}

async function outcomeOf(check: HealthCheck): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${String(PATIENCE_MS)} ms`));
    }, PATIENCE_MS);
  });
  try {
    await Promise.race([Promise.resolve().then(check), tooLate]);
    return 'ok';
  } catch (error) {
    return reasonOf(error);
  } finally {
    clearTimeout(timer);
  }
}
