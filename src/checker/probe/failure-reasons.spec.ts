import { describe, expect, it } from '@jest/globals';
import { connectionFailure, tlsFailure } from './failure-reasons.ts';

const error = (code: string, message = code): Error => Object.assign(new Error(message), { code });

describe('a broken connection', () => {
  it.each(['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL', 'ENETUNREACH', 'EPERM'])('is inconclusive after %s', (code) => {
    expect(connectionFailure(error(code)).kind).toBe('inconclusive');
    expect(tlsFailure(error(code)).kind).toBe('inconclusive');
  });

  it.each(['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ETIMEDOUT', 'HPE_INVALID_CONSTANT', 'ERR_HTTP2_ERROR', 'WHATEVER'])(
    'is a failure of the site after %s',
    (code) => {
      expect(connectionFailure(error(code)).kind).toBe('failed');
    },
  );

  it('is described without the internals of OpenSSL', () => {
    expect(
      tlsFailure(
        error(
          'ERR_SSL_TLSV1_ALERT_HANDSHAKE_FAILURE',
          '80D5:error:0A000410:SSL routines:ssl3_read_bytes:handshake failure:../deps/openssl/x.c:1605:',
        ),
      ),
    ).toEqual({
      kind: 'failed',
      code: 'tls',
      reason: 'the TLS handshake failed: SSL routines:ssl3_read_bytes:handshake failure',
    });
  });
});
