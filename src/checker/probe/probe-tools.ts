import type { SecureContext } from 'node:tls';
import type { Guard } from '../../security/ssrf-guard/guard.ts';
import type { LargeBodies } from './large-bodies.ts';

/** What all probes of a process share. */
export interface ProbeTools {
  readonly guard: Guard;
  readonly trust: SecureContext;
  readonly largeBodies: LargeBodies;
}
