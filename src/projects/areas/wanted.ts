import { InvalidInput } from '../../kernel/errors.ts';
import { originOf } from '../../kernel/url.ts';
import { type AreaForm, type AreaSettings, type AreaSignIn, emptyForm, submissionOrigin, type WantedArea } from './area.settings.ts';

/** The settings that a change results in. `projectUrl` counts where no address is given. */
export function settled(today: AreaSettings, { form, httpAuth, ...wanted }: WantedArea, projectUrl: string): Partial<AreaSettings> {
  return {
    ...wanted,
    ...(form === undefined ? {} : { form: formOf(today.form, form, projectUrl) }),
    ...(httpAuth === undefined ? {} : { httpAuth: signInOf(today.httpAuth, httpAuth, projectUrl) }),
  };
}

/** An empty form removes the form. */
function formOf(today: AreaForm | null, wanted: Partial<AreaForm>, projectUrl: string): AreaForm | null {
  const before = today ?? emptyForm;
  const form = { ...before, ...wanted };
  if (form.identifier === '' && form.baseUrl === '' && !form.enabled) return null;
  const isElsewhere = originOf(form.baseUrl || projectUrl) !== originOf(before.baseUrl || projectUrl);
  const isSentElsewhere = submissionOrigin(form, projectUrl) !== submissionOrigin(before, projectUrl);
  if (wanted.params === undefined && before.params !== null && (isElsewhere || isSentElsewhere))
    throw givenAgain('form.params', 'baseUrl or action');
  return form;
}

/** Without a user there is none. */
function signInOf(today: AreaSignIn | null, wanted: Partial<AreaSignIn>, projectUrl: string): AreaSignIn | null {
  const before = today ?? { user: '', password: null, url: '' };
  const signIn = { ...before, ...wanted };
  if (signIn.user === '') return null;
  const isElsewhere = originOf(signIn.url || projectUrl) !== originOf(before.url || projectUrl);
  if (wanted.password === undefined && before.password !== null && isElsewhere) throw givenAgain('httpAuth.password', 'url');
  return signIn;
}

/** The secrets of a group whose addresses are left to the project are bound to the site that is the project's today. */
export const anchored = ({ form, httpAuth }: AreaSettings, projectUrl: string): Partial<AreaSettings> => ({
  ...(form?.params && form.baseUrl === '' ? { form: { ...form, baseUrl: projectUrl } } : {}),
  ...(httpAuth?.password && httpAuth.url === '' ? { httpAuth: { ...httpAuth, url: projectUrl } } : {}),
});

/** A saved secret is bound to the origin that it was given for, so that a member cannot have it sent to another site. */
const givenAgain = (field: string, mover: string): InvalidInput =>
  new InvalidInput(`${field}: must be given again, because ${mover} leads to another site`);
