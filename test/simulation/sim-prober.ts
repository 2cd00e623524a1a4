import type { CertificateSeen } from '../../src/checker/probe/certificate.ts';
import type { FetchOutcome } from '../../src/checker/probe/outcome.ts';
import type { ProbeRequest } from '../../src/checker/probe/probe-request.ts';
import type { Prober } from '../../src/checker/probe/prober.ts';
import type { ServedCertificate } from './site-truth.ts';
import type { SimSites } from './sim-sites.ts';
import type { Machine } from './virtual-time.ts';
import { ANSWERED, REFUSED } from '../support/probe-outcomes.ts';

const OWN = 1 / 1_000;
const FLAKY = 1 / 1_000;
const FICKLE = 1 / 4;

/** Simulates probes: the site of the project that the url ends with, its certificate and its redirect. */
export function proberOn(machine: Machine, sites: SimSites): Pick<Prober, 'fetch'> {
  const { truth, random } = sites;
  return {
    fetch: async ({ url, signal, timeoutMs, options }: ProbeRequest): Promise<FetchOutcome> => {
      const site = url.slice(url.lastIndexOf('/') + 1);
      const isRedirectLook = url.startsWith('http:');
      const isCertificateLook = options?.stayOnFirst === true;
      const ailment = isRedirectLook ? null : ailmentOf(site, sites, isCertificateLook);
      const milliseconds = ailment === 'silent' ? timeoutMs : 30 + Math.floor(random() ** 4 * 3_000);
      await machine.sleep(milliseconds, signal);
      const phases = { dns: 0, connect: 0, tls: 0, request: 0, wait: milliseconds, download: 0, total: milliseconds };
      const shown = truth.certificates.get(site)?.state;
      const journey = { url, hops: [], phases, certificate: null, address: null };
      if (signal?.aborted === true || random() < OWN) {
        truth.recordInconclusive(site, sites.time.now);
        return { ...journey, kind: 'inconclusive', reason: 'no file handles' };
      }
      const seenAt = sites.time.now;
      if (isRedirectLook) truth.looked('redirect', site, { at: seenAt, seen: true });
      else if (isCertificateLook) truth.looked('certificate', site, { at: seenAt, seen: ailment === null });
      if (isRedirectLook) return redirected(site, url, phases, sites);
      if (ailment === 'silent') return { ...journey, kind: 'timedOut', during: 'wait', reason: 'no answer in time' };
      if (ailment === 'refused') return { ...journey, ...REFUSED };
      return { ...journey, ...ANSWERED, certificate: shown === undefined ? null : seen(shown) };
    },
  };
}

/** Of this one answer. */
function ailmentOf(
  site: string,
  { truth, random, steady, time, flakiness }: SimSites,
  isCertificateLook: boolean,
): 'refused' | 'silent' | null {
  const ailment = truth.ailment(site);
  if (ailment === 'refused' || ailment === 'silent') return ailment;
  const often = ailment === 'fickle' ? FICKLE : flakiness > 0 && !steady.has(site) ? FLAKY : 0;
  if (isCertificateLook || random() >= often) return null;
  truth.stumbled(site, time.now);
  return 'refused';
}

function redirected(site: string, url: string, phases: FetchOutcome['phases'], { truth }: SimSites): FetchOutcome {
  const state = truth.redirects.get(site)?.state ?? 'ok';
  const to = url.replace('http:', 'https:');
  const journey = { url, hops: [], phases, certificate: null, address: null };
  if (state === 'unreachable') return { ...journey, ...REFUSED };
  if (state === 'failed') return { ...journey, ...ANSWERED };
  return { ...journey, ...ANSWERED, url: to, hops: [{ url, status: 301, location: to, to, phases }] };
}

const seen = ({ fingerprint, validFrom, validTo }: ServedCertificate): CertificateSeen => ({
  ...{
    subject: 'CN=site.example',
    issuer: 'CN=Some CA',
    key: 'EC P-256',
    names: ['site.example'],
    serial: fingerprint,
    fingerprint,
    chain: [],
    problem: null,
  },
  ...{ validFrom: new Date(validFrom).toISOString(), validTo: new Date(validTo).toISOString() },
});
