import type { Keyring } from '../../base/keyring/keyring.ts';
import type { FormSignIn } from '../forms/sign-in.ts';
import type { ProjectPlan } from '../plan/plan.ts';
import { ProbeSession } from '../probe/probe-session.ts';

/** What a run begins with: the cookies of the sign-in, or why there are none. */
export interface SignedIn {
  readonly session: ProbeSession;
  /** A sentence when the sign-in failed: it fails every check of the group (decisions.md, T12). */
  readonly failure: string | null;
  /** The form is not as it was when it was saved; null when it is. */
  readonly changedChecksum: string | null;
  /** Trouble of our own: nothing may be said about the group. */
  readonly own: boolean;
}

/** Signs in to a group before its checks, once for all runs that belong together. */
export class SigningIn {
  constructor(
    private readonly form: FormSignIn,
    private readonly keyring: Keyring,
  ) {}

  /** Undefined: the group needs no sign-in. */
  async begin({ project, areas }: ProjectPlan, areaId: string): Promise<SignedIn | undefined> {
    const saved = areas.get(areaId)?.settings.form ?? null;
    if (saved?.enabled !== true) return undefined;
    const session = new ProbeSession();
    const params = saved.params === null ? '' : ((await this.keyring.open(saved.params)) ?? '');
    const { userAgent, timeout } = project.settings;
    const baseUrl = saved.baseUrl === '' ? project.settings.url : saved.baseUrl;
    const { identifier, action, checksum } = saved;
    const result = await this.form.signIn(
      { baseUrl, identifier, params, action, checksum },
      { userAgent, timeoutMs: timeout * 1000, session },
    );
    if (result.kind === 'signedIn') return { session, failure: null, changedChecksum: result.changed ? result.checksum : null, own: false };
    return { session, failure: `The sign-in failed: ${result.reason}`, changedChecksum: null, own: result.kind === 'own' };
  }
}
