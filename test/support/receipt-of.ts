import { receiptOfAnswer } from '../../src/client/proofs/receipt/receipt-of-answer.ts';
import type { Answer, ApiClient } from './api-client.ts';

/** The receipt of an answer that was asked for with `Accept-Signature`, as its file; null: it is not signed. */
export const receiptOf = (url: string, { status, headers, text }: Answer): string | null =>
  receiptOfAnswer({ url: new URL(url), status, headers: Object.fromEntries(headers), body: Buffer.from(text) });

/** A GET and its receipt. `url`: of the service. */
export async function askReceipt(client: ApiClient, url: string, path: string): Promise<string> {
  const answer = await client.with({ 'accept-signature': 'receipt=()' }).get(path);
  const receipt = receiptOf(`${url}/api${path}`, answer);
  if (receipt === null) throw new Error(`${path} was answered ${String(answer.status)} without a signature`);
  return receipt;
}
