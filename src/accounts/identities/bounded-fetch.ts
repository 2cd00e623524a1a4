import type { CustomFetch } from 'openid-client';

/** Metadata, keys and tokens are a few KiB. */
const MAX_BYTES = 256 * 1024;

export class ProviderAnswerTooLarge extends Error {
  override readonly name = 'ProviderAnswerTooLarge';
}

/** `fetch` that follows no redirect and refuses an answer beyond a size while it arrives. The caller's signal bounds its time. */
export const boundedFetch: CustomFetch = async (url, options) => {
  const { body, ...given } = options;
  const answer = await fetch(url, { ...given, ...(body === undefined ? {} : { body: body as BodyInit }), redirect: 'manual' });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    // Leaving the loop cancels the body.
    if (size > MAX_BYTES) throw new ProviderAnswerTooLarge(`the provider answered more than ${String(MAX_BYTES)} bytes`);
    chunks.push(chunk);
  }
  const isBodiless = [101, 204, 205, 304].includes(answer.status);
  return new Response(isBodiless ? null : Buffer.concat(chunks), { status: answer.status, headers: answer.headers });
};
