import type { ConcurrencyLimit, WorkSource } from '../../kernel/concurrency-limit.ts';
import { type FormFinding, submissionOrigin } from '../../projects/areas/area.settings.ts';
import type { Keyring } from '../../platform/security/keyring/keyring.ts';
import type { FormReader } from '../forms/form-reader.ts';
import { FormSignIn } from '../forms/sign-in.ts';
import type { Inconclusive } from '../probe/outcome.ts';
import { ProbeSession } from '../probe/probe-session.ts';
import type { Prober } from '../probe/prober.ts';
import type { WatchedProject } from '../projects/watched-projects.ts';
import type { HostGate } from './host-gate.ts';
import { areaRequest } from './run-request.ts';

export interface SignInFailure {
  readonly kind: 'failed' | 'timedOut';
  readonly reason: string;
}

/** A sign-in that was tried before the runs of an area. */
export interface SignInAttempt {
  /** Holds the cookies of a successful sign-in. */
  readonly session: ProbeSession;
  /** A conclusive failure fails every check of the area (docs/spec/decisions.md#T12). */
  readonly failure: SignInFailure | Inconclusive | null;
  /** The form, if its first checksum or a change is to be recorded. */
  readonly formFinding: FormFinding | null;
}

export interface AreaSignInOptions {
  readonly prober: Pick<Prober, 'fetch'>;
  readonly forms: Pick<FormReader, 'findForms'>;
  readonly keyring: Pick<Keyring, 'open'>;
  readonly gate: HostGate;
  readonly fetchLimit: Pick<ConcurrencyLimit, 'run'>;
}

/** Submits the sign-in form of an area, once for all runs that belong together. */
export class SharedSignIn {
  constructor(private readonly options: AreaSignInOptions) {}

  /** Undefined if the area has no sign-in form. Rejects if it could not be tried. */
  async signIn({ project, areas }: WatchedProject, areaId: string, source: WorkSource): Promise<SignInAttempt | undefined> {
    const area = areas.get(areaId);
    const saved = area?.settings.form ?? null;
    if (saved?.enabled !== true) return undefined;
    const session = new ProbeSession();
    const params = saved.params === null ? '' : ((await this.options.keyring.open(saved.params)) ?? '');
    const { userAgent, timeout } = project.settings;
    const baseUrl = saved.baseUrl === '' ? project.settings.url : saved.baseUrl;
    const { identifier } = saved;
    const checksum = saved.checksum || (area?.firstChecksum ?? '');
    const form = { baseUrl, identifier, params, origin: submissionOrigin(saved, project.settings.url), checksum };
    const ofArea = await areaRequest(project, area, baseUrl, this.options.keyring);
    const request = { ...ofArea, userAgent, timeoutMs: timeout * 1000, session, source };
    const result = await this.formSignIn(project).signIn(form, request);
    if (result.kind !== 'signedIn')
      return { session, failure: { kind: result.kind, reason: `The sign-in failed: ${result.reason}` }, formFinding: null };
    return { session, failure: null, formFinding: result.changed || checksum === '' ? { saved, found: result.checksum } : null };
  }

  /** Its requests are subject to the host gate and the fetch limit, as those of the checks are. */
  private formSignIn({ id, settings }: WatchedProject['project']): FormSignIn {
    const { prober, forms, gate, fetchLimit } = this.options;
    let isContinued = false;
    const fetch: Prober['fetch'] = (request) => {
      const passage = {
        projectId: id,
        url: request.url,
        delayMs: () => settings.delay,
        isContinued,
        isOnDemand: request.source?.isOnDemand === true,
      };
      isContinued = true;
      return gate.pass(passage, () => fetchLimit.run(() => prober.fetch(request), request.source));
    };
    return new FormSignIn({ fetch }, forms);
  }
}
