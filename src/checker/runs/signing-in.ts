import type { Keyring } from '../../security/keyring/keyring.ts';
import { isUrl } from '../../kernel/url.ts';
import type { FormReader } from '../forms/form-reader.ts';
import { FormSignIn } from '../forms/sign-in.ts';
import type { ProjectPlan } from '../plan/plan.ts';
import { ProbeSession } from '../probe/probe-session.ts';
import type { Prober } from '../probe/prober.ts';
import type { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import type { HostGate } from './host-gate.ts';
import { groupRequest } from './run-settings.ts';

/** Why a group is not signed in: it was refused, it took too long, or the trouble is ours and says nothing about the group. */
export interface SignInTrouble {
  readonly kind: 'failed' | 'timedOut' | 'inconclusive';
  readonly reason: string;
}

/** What a run begins with: the cookies of the sign-in, or why there are none. */
export interface SignedIn {
  readonly session: ProbeSession;
  /** Fails every check of the group, unless it is ours (docs/spec/decisions.md#T12). */
  readonly trouble: SignInTrouble | null;
  /** The checksum that was saved with the form and the one that was found, where they differ. */
  readonly changedForm: { readonly saved: string; readonly found: string } | null;
}

export interface SigningInOptions {
  readonly prober: Pick<Prober, 'fetch'>;
  readonly forms: Pick<FormReader, 'findForms'>;
  readonly keyring: Pick<Keyring, 'open'>;
  readonly gate: HostGate;
  readonly atOnce: Pick<ConcurrencyLimit, 'run'>;
}

/** Signs in to a group before its checks, once for all runs that belong together. */
export class SigningIn {
  constructor(private readonly options: SigningInOptions) {}

  /** Undefined: the group needs no sign-in. Rejects when it could not be tried. */
  async begin({ project, areas }: ProjectPlan, areaId: string): Promise<SignedIn | undefined> {
    const area = areas.get(areaId);
    const saved = area?.settings.form ?? null;
    if (saved?.enabled !== true) return undefined;
    const session = new ProbeSession();
    const params = saved.params === null ? '' : ((await this.options.keyring.open(saved.params)) ?? '');
    const { userAgent, timeout } = project.settings;
    const baseUrl = saved.baseUrl === '' ? project.settings.url : saved.baseUrl;
    const { identifier, action, checksum } = saved;
    const form = { baseUrl, identifier, params, action, checksum };
    const { headers, ...group } = await groupRequest(project, area, this.options.keyring);
    // They are meant for the site; its sign-in may be somebody else's.
    const isOfSite = isUrl(baseUrl) && new URL(baseUrl).origin === new URL(project.settings.url).origin;
    const request = { ...group, headers: isOfSite ? headers : [], userAgent, timeoutMs: timeout * 1000, session };
    const result = await this.form(project).signIn(form, request);
    if (result.kind === 'signedIn')
      return { session, trouble: null, changedForm: result.changed ? { saved: checksum, found: result.checksum } : null };
    return { session, trouble: { kind: result.kind, reason: `The sign-in failed: ${result.reason}` }, changedForm: null };
  }

  /** Each of its requests takes its turn, as those of the checks do. */
  private form({ id, settings }: ProjectPlan['project']): FormSignIn {
    const { prober, forms, gate, atOnce } = this.options;
    let goesOn = false;
    const fetch: Prober['fetch'] = (request) => {
      const passage = { projectId: id, url: request.url, delayMs: () => settings.delay, goesOn };
      goesOn = true;
      return gate.pass(passage, () => atOnce.run(() => prober.fetch(request)));
    };
    return new FormSignIn({ fetch }, forms);
  }
}
