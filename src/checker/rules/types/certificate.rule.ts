import type { CertificatePart } from '../../../projects/checks/rule-type.ts';
import { ofNumber, ofText } from '../comparers.ts';
import { type RuleRow, textRow } from '../rule-row.ts';
import type { RuleCertificate } from '../stored-answer.ts';
import { DAY_MS } from '../../../kernel/time.ts';

const PARTS: Readonly<
  Record<CertificatePart, { readonly label: string; readonly of: (seen: RuleCertificate, at: number) => readonly string[] }>
> = {
  issuer: { label: 'the issuer of the certificate', of: ({ issuer }) => [issuer] },
  days: {
    label: 'the days that the certificate is valid for',
    of: ({ validTo }, at) => (validTo === '' ? [] : [String(Math.floor((Date.parse(validTo) - at) / DAY_MS))]),
  },
  key: { label: 'the key of the certificate', of: ({ key }) => (key === '' ? [] : [key]) },
  names: { label: 'the names of the certificate', of: ({ names }) => names },
};

/** `cert:<part>`: of the certificate that the last server of the run presented. */
export function certificateRow(parameter: string): RuleRow {
  const name = parameter as CertificatePart;
  const { label, of } = PARTS[name];
  return textRow(label, 'no certificate', ({ certificate, at = 0 }) => ({ values: certificate ? of(certificate, at) : [] }), {
    comparers: name === 'days' ? ofNumber : ofText,
    reads: 'certificate',
  });
}
