import type { CertificateFacts } from './certificate.events.ts';
import type { KnownCertificate } from './certificate-status.ts';
import { integerColumn } from '../../platform/read-models/authoring/columns.ts';
import { defineView, scopeId } from '../../platform/read-models/authoring/define-view.ts';

type ShownFacts = Pick<CertificateFacts, 'host' | 'port' | 'fingerprint' | 'validFrom' | 'validTo' | 'problem'>;

/** The certificate that was last seen; its status is computed at the time of a request. */
export interface CertificateRow extends KnownCertificate {
  readonly certificate: ShownFacts | null;
  readonly seenAt: string | null;
}

export const certificateView = defineView<CertificateRow>()({
  name: 'certificate',
  version: 2,
  scope: 'project',
  key: scopeId,
  on: {
    CertificateSeen: (_, { data: { certificate, at } }) => {
      const { host, port, fingerprint, validFrom, validTo, problem } = certificate;
      return { certificate: { host, port, fingerprint, validFrom, validTo, problem }, failure: null, seenAt: at };
    },
    CertificateLookFailed: (row, { data: { host, port, reason } }) => ({
      certificate: row?.certificate ?? null,
      seenAt: row?.seenAt ?? null,
      failure: { host, port, reason },
    }),
    ProjectDeleted: () => null,
  },
  columns: { until: integerColumn(({ certificate }: CertificateRow) => (certificate === null ? null : Date.parse(certificate.validTo))) },
});
