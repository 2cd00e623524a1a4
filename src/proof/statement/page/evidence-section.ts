import type { StatementContent } from '../document.ts';
import type { Markup } from './markup.ts';
import { markup } from './markup.ts';

/** What the figures rest on, and how to verify it without this file's own verifier. */
export function evidenceSection({ evidence, streams, checkpoint, keys }: StatementContent): Markup {
  const rows = streams.map(
    ({
      stream,
      first,
      last,
      events,
      complete,
    }) => markup`<tr><td><code>${stream}</code></td><td class="n">${first}</td><td class="n">${last}</td><td class="n">${events}</td><td>${complete ? 'every revision' : 'those that matter here'}</td></tr>
`,
  );
  return markup`<section><h2>Evidence</h2>
<p>This file contains ${evidence.events.length} events of the log, each with a proof that it stands there, under the signed checkpoint below. Every figure above follows from them.</p>
<table class="fine"><thead><tr><th>Stream</th><th class="n">First revision</th><th class="n">Last</th><th class="n">Events</th><th>Contained</th></tr></thead><tbody>
${rows}</tbody></table>
<h3>Checkpoint</h3>
<pre>
${checkpoint}</pre>
<h3>Keys of the signer</h3>
<p>Compare them with the key that you were given before:</p>
<ul>${keys.map((key) => markup`<li><code>${key}</code></li>`)}</ul>
<h3>To verify without trusting this file</h3>
<p>A changed file may contain a changed verifier. The command <code>watchledger verify FILE --key KEY</code> uses its own.</p></section>
`;
}
