import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { reasonOf } from '../../kernel/system-error.ts';

/** Resolves when the part can do its work, rejects with the reason when it cannot. */
export type HealthCheck = () => Promise<void> | void;

interface Registered {
  readonly check: HealthCheck;
  readonly isVital: boolean;
}

export interface Readiness {
  readonly ready: boolean;
  /** `ok`, or what is wrong, for each part. */
  readonly parts: Readonly<Record<string, string>>;
}

const PATIENCE_MS = 2_000;

/** The parts that must work before this instance should get requests, and some that an operator has to see. Each part of the program registers its own. */
@Injectable()
export class HealthParts implements OnModuleDestroy {
  private readonly checks = new Map<string, Registered>();
  private running: Promise<Readiness> | undefined;

  register(name: string, check: HealthCheck): void {
    this.checks.set(name, { check, isVital: true });
  }

  /** What an operator has to see, and no reason to send requests elsewhere. */
  show(name: string, check: HealthCheck): void {
    this.checks.set(name, { check, isVital: false });
  }

  /** Not ready from the first step of the shutdown, so that a balancer sends no more requests while the last ones end. */
  onModuleDestroy(): void {
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
    const parts = await Promise.all(
      [...this.checks].map(async ([name, { check, isVital }]) => ({ name, isVital, outcome: await outcomeOf(check) })),
    );
    return {
      ready: parts.every(({ isVital, outcome }) => !isVital || outcome === 'ok'),
      parts: Object.fromEntries(parts.map(({ name, outcome }) => [name, outcome])),
    };
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
