import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, rootCertificates } from 'node:tls';
import type { Config } from '../../platform/config/config.ts';
import { reasonOf } from '../../kernel/system-error.ts';
import { fail, type Diagnosis, ok, warn } from './finding.ts';

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;
const PATIENCE_MS = 5_000;

export async function examineCertificates({ publicUrl }: Config): Promise<readonly Diagnosis[]> {
  const own = publicUrl?.startsWith('https://') === true ? [await ownCertificate(new URL(publicUrl))] : [];
  return [roots(process.env['NODE_EXTRA_CA_CERTS']), ...own];
}

/** Node ignores an unreadable file, except for one line on standard error. */
function roots(file: string | undefined): Diagnosis {
  const bundled = `${String(rootCertificates.length)} roots`;
  if (file === undefined || file === '') return ok('certificates', `${bundled} from node`);
  try {
    const extra = readFileSync(file, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    extra.forEach((pem) => new X509Certificate(pem));
    if (extra.length === 0)
      return fail('certificates', `${file} contains no certificate`, 'NODE_EXTRA_CA_CERTS must name a file of PEM certificates');
    return ok('certificates', `${bundled} from node, ${String(extra.length)} of ${file}`);
  } catch (error) {
    return fail('certificates', reasonOf(error), 'NODE_EXTRA_CA_CERTS names a file of PEM certificates that can be read');
  }
}

function ownCertificate({ hostname, port, host }: URL): Promise<Diagnosis> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || 443), servername: hostname, timeout: PATIENCE_MS }, () => {
      const days = Math.floor((new Date(socket.getPeerCertificate().valid_to).getTime() - Date.now()) / DAY_MS);
      const found = `${host} presents one that is valid for ${String(days)} more days`;
      socket.end();
      resolve(days > SOON_DAYS ? ok('public url', found) : warn('public url', found, 'renew it'));
    });
    socket.once('timeout', () => socket.destroy(new Error('no answer')));
    socket.once('error', (error: Error) => {
      resolve(warn('public url', `${host}: ${error.message}`, 'clients will see the same: check the proxy and its certificate'));
    });
  });
}
