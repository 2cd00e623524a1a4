import { StateHistory } from './state-history.ts';
import { DAY } from './time-limits.ts';
import type { ServedCertificate, SiteTruth } from './site-truth.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Certificates that are renewed: most of them in time, some when the warning was out, some too late. */
export class CertificateRenewals {
  renewed = 0;

  constructor(
    private readonly truth: SiteTruth,
    private readonly time: VirtualTime,
    private readonly random: () => number,
  ) {}

  begin(projectId: string): void {
    const first = this.certificate(5 + this.random() * 40);
    this.truth.certificates.set(projectId, new StateHistory(this.time.now, first));
    this.renewLater(projectId, first);
  }

  private renewLater(projectId: string, { validTo }: ServedCertificate): void {
    const at = validTo - (this.random() * 22 - 3) * DAY;
    this.time.after(at - this.time.now, () => {
      const next = this.certificate(30 + this.random() * 60);
      this.renewed++;
      this.truth.certificates.get(projectId)?.turn(this.time.now, next);
      this.renewLater(projectId, next);
    });
  }

  private certificate(days: number): ServedCertificate {
    const fingerprint = Math.floor(this.random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
    return { fingerprint, validFrom: this.time.now - DAY, validTo: Math.floor(this.time.now + days * DAY) };
  }
}
