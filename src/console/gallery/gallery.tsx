import type { ComponentChildren } from 'preact';
import { ApiError } from '../../client.ts';
import { shownInstant } from '../frame/address.ts';
import { Link } from '../frame/link.tsx';
import { AddSite } from '../overview/add-site.tsx';
import { Disconnected, LoadedList, Erased, Failed, Loading, Stale } from '../parts/states.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { Problem } from '../parts/problem.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { Strip } from '../parts/strip.tsx';
import { stripDays } from '../parts/strip-days.ts';
import { DAY_LENGTH, HOUR_LENGTH, MINUTE_LENGTH } from '../time/instants.ts';
import { serverNow } from '../time/server-clock.ts';

const SHOWN_DAYS = 30;
const refusal = (status: number, message: string): ApiError => new ApiError('GET /sample', status, new Headers(), { message });
const nothing = { value: undefined, error: undefined, readAt: 0, isStale: false, reload: () => undefined };

/** Every state of the parts that pages are made of, beside each other, for people who change one of them. `npm run demo` prints the address. */
export function Gallery() {
  const now = serverNow();
  return (
    <main class="page">
      <h1>Every state of the console</h1>
      <p class="soft">Made-up contents in the real parts. Look at this page on a phone, in the dark, in the past and by keyboard.</p>
      <State name="Empty" about="what will stand there, and the first step">
        <p>Nothing is watched yet.</p>
        {shownInstant.value === null && <AddSite isFirst />}
        <LoadedList
          what="Subscriptions"
          loaded={{ ...nothing, value: [] }}
          none="None: a program makes one with PUT /subscriptions/{name}."
        >
          {() => null}
        </LoadedList>
      </State>
      <State name="Loading" about="after 150 ms, of the size of what comes">
        <Loading />
      </State>
      <State name="Failed" about="which part, why, and what to do">
        <Failed what="The overview" error={new TypeError('failed to fetch')} retry={() => undefined} />
      </State>
      <State name="No right" about="what is missing, and who gives it">
        <Failed what="The site" error={refusal(403, 'Access denied.')} />
      </State>
      <State name="Stale" about="how old, and why">
        <Stale readAt={now - 7 * MINUTE_LENGTH} error={refusal(503, 'The database does not answer.')} now={now} />
      </State>
      <State name="Disconnected" about="a thin line above everything; what was typed stays">
        <Disconnected />
      </State>
      <State name="Past" about="an amber banner, and nothing that changes anything">
        {shownInstant.value === null ? (
          <Link to={['gallery']} query={{ at: new Date(now - HOUR_LENGTH).toISOString() }}>
            This page as of an hour ago
          </Link>
        ) : (
          <p>The banner stands above.</p>
        )}
      </State>
      <State name="Erased" about="why, and what remains">
        <Erased
          why="The evidence was kept until 1 October 2026."
          remains="The event, its verdict and its place in the sealed log remain."
        />
      </State>
      <Signs now={now} />
    </main>
  );
}

/** What is drawn rather than said. */
function Signs({ now }: { readonly now: number }) {
  return (
    <>
      <State name="Signs" about="a shape first, then a colour, then a word">
        <p class="actions">
          {(['working', 'failing', 'warning', 'maintenance', 'unknown'] as const).map((state) => (
            <span key={state}>
              <Glyph state={state} /> {state}
            </span>
          ))}
        </p>
      </State>
      <State name="Unknown time" about="hatched, and no line across it">
        <Strip
          days={stripDays(sampleDays(now), now)}
          label="30 days: 20 minutes down, 2 days not measured, 1 day of planned work"
          choose={() => undefined}
        />
        <Sparkline values={[120, 130, 125, null, null, 140, 200, 150]} label="Response time with a gap" />
      </State>
      <State name="Problems" about="a sentence, since when, and two doors">
        <ul class="problems">
          {(['failing', 'warning'] as const).map((severity) => (
            <Problem
              key={severity}
              now={now}
              project={{ id: '0'.repeat(24), title: 'Checkout' }}
              problem={{
                kind: severity === 'failing' ? 'check' : 'certificate',
                severity,
                test: null,
                event: null,
                since: new Date(now - 23 * MINUTE_LENGTH).toISOString(),
                sentence: 'expected status 200, got 500',
              }}
            />
          ))}
        </ul>
      </State>
    </>
  );
}

function State({ name, about, children }: { readonly name: string; readonly about: string; readonly children: ComponentChildren }) {
  return (
    <section class="section" aria-label={name}>
      <h2>
        {name} <span class="chart-legend">{about}</span>
      </h2>
      {children}
    </section>
  );
}

function sampleDays(now: number) {
  const seconds = (of: Readonly<Record<number, number>>): readonly number[] => Array.from({ length: SHOWN_DAYS }, (_, day) => of[day] ?? 0);
  const day = DAY_LENGTH / 1_000;
  return {
    from: new Date(now - (SHOWN_DAYS - 1) * DAY_LENGTH).toISOString().slice(0, 10),
    down: seconds({ 8: 1_200, 20: day / 2 }),
    unknown: seconds({ 3: day, 4: day }),
    maintenance: seconds({ 14: day }),
  };
}
