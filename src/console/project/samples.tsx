import { useState } from 'preact/hooks';
import { fullOf, preciseClockOf, utcOf } from '../time/instants.ts';
import { phasesOf, phaseWords, type TimedResponse } from './chart-series.ts';

const SHOWN = 20;
const WIDTH = 200;

/** Single responses, the newest first, each with its phases as a bar. */
export function Samples({ times }: { readonly times: readonly TimedResponse[] }) {
  const [isWhole, setWhole] = useState(false);
  const slowest = Math.max(1, ...times.map(({ totalResponseTime }) => totalResponseTime));
  const newest = times.toReversed();
  return (
    <details class="samples">
      <summary>{times.length === 1 ? 'The single response' : `${String(times.length)} single responses`} by phase</summary>
      <div class="compared">
        <table>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">
                Phases{' '}
                <span class="phase-key">
                  {phasesOf(newest[0] ?? none).map(({ name }) => (
                    <span key={name}>
                      <span class={`phase phase-${name}`} aria-hidden="true" /> {name}
                    </span>
                  ))}
                </span>
              </th>
              <th scope="col" class="number">
                Total
              </th>
            </tr>
          </thead>
          <tbody>
            {newest.slice(0, isWhole ? newest.length : SHOWN).map((response) => (
              <Sample key={response.responseDate} response={response} slowest={slowest} />
            ))}
          </tbody>
        </table>
      </div>
      {!isWhole && newest.length > SHOWN && (
        <button class="quiet inline" onClick={() => setWhole(true)}>
          Show all {newest.length}
        </button>
      )}
    </details>
  );
}

const none: TimedResponse = {
  responseDate: '',
  totalResponseTime: 0,
  dnsLookupTime: 0,
  initialConnectionTime: 0,
  sslTime: 0,
  requestTime: 0,
  waitingTime: 0,
  contentDownloadTime: 0,
};

function Sample({ response, slowest }: { readonly response: TimedResponse; readonly slowest: number }) {
  const at = Date.parse(response.responseDate);
  let x = 0;
  return (
    <tr>
      <td>
        <time dateTime={response.responseDate} title={`${fullOf(at)}, ${utcOf(at)}`}>
          {preciseClockOf(at)}
        </time>
      </td>
      <td>
        <svg class="phases" viewBox={`0 0 ${String(WIDTH)} 10`} preserveAspectRatio="none" role="img" aria-label={phaseWords(response)}>
          <title>{phaseWords(response)}</title>
          {phasesOf(response).map(({ name, milliseconds }) => {
            const width = (milliseconds / slowest) * WIDTH;
            const bar = <rect key={name} class={`phase-${name}`} x={x} y="0" width={width} height="10" />;
            x += width;
            return bar;
          })}
        </svg>
      </td>
      <td class="number">
        {response.totalResponseTime.toFixed(0)} <span class="unit">ms</span>
      </td>
    </tr>
  );
}
