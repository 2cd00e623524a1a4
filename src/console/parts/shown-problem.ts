/** What is wrong with a site, as the API answers it. */
export interface ShownProblem {
  readonly kind: 'uptime' | 'check' | 'certificate' | 'redirect';
  readonly severity: 'failing' | 'warning';
  readonly since: string | null;
  readonly sentence: string;
  readonly test: { readonly id: string; readonly name: string } | null;
  readonly event: string | null;
}
