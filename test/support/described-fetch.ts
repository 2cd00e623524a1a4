import { undescribed } from './description.ts';

/** `fetch` of the tests: throws where an answer of the API is not as the description says. Streams without an end are not read. */
export const describedFetch: typeof fetch = async (input, init) => {
  const answer = await fetch(input, init);
  const type = answer.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) return answer;
  const text = await answer.clone().text();
  const problem = undescribed(init?.method ?? 'GET', pathOf(input), { status: answer.status, type, text });
  if (problem !== null) throw new Error(problem);
  return answer;
};

/** Below the API prefix, with its query. */
function pathOf(input: Parameters<typeof fetch>[0]): string {
  const { pathname, search } = new URL(input instanceof Request ? input.url : input);
  return pathname.replace(/^\/api(?=\/)/, '') + search;
}
