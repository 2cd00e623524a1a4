import type { DraftRequest, DraftExtraction } from './draft.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const HAS_BODY: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'];

interface RequestFieldsProps {
  readonly request: DraftRequest;
  readonly isReadOnly: boolean;
  readonly onChange: (changes: Partial<DraftRequest>) => void;
}

/** How the page is asked for, and what later checks of the group take from its answer (docs/journeys.md). */
export function RequestFields({ request, isReadOnly, onChange }: RequestFieldsProps) {
  const { method, headers, body, contentType, followsRedirects, uses } = request;
  return (
    <details class="section" open={method !== 'GET' || headers !== '' || uses !== '' || request.extract.length > 0}>
      <summary>How the page is asked for</summary>
      <fieldset class="fields" disabled={isReadOnly}>
        <legend class="hidden">Request</legend>
        <label>
          Method
          <select
            name="method"
            value={method}
            onChange={({ currentTarget: { value } }) => onChange({ method: value as DraftRequest['method'] })}
          >
            {METHODS.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          Headers, one a line; a value that is saved is shown as ********
          <textarea
            name="headers"
            class="mono"
            rows={2}
            spellcheck={false}
            value={headers}
            onInput={(event) => onChange({ headers: event.currentTarget.value })}
          />
        </label>
        {HAS_BODY.includes(method) && (
          <>
            <label>
              Body
              <textarea
                name="body"
                class="mono"
                rows={3}
                spellcheck={false}
                value={body}
                onInput={(event) => onChange({ body: event.currentTarget.value })}
              />
            </label>
            <label>
              Content type of the body
              <input
                name="content-type"
                placeholder="application/json"
                value={contentType}
                onInput={(event) => onChange({ contentType: event.currentTarget.value })}
              />
            </label>
          </>
        )}
        <label class="switch">
          <input
            type="checkbox"
            checked={followsRedirects}
            onChange={(event) => onChange({ followsRedirects: event.currentTarget.checked })}
          />{' '}
          Follows redirects
        </label>
        <label>
          Values of earlier checks that it uses as {'{{name}}'}, their names separated by spaces
          <input
            name="uses"
            class="mono"
            spellcheck={false}
            value={uses}
            onInput={(event) => onChange({ uses: event.currentTarget.value })}
          />
        </label>
        <Extractions extract={request.extract} isReadOnly={isReadOnly} onChange={(extract) => onChange({ extract })} />
      </fieldset>
    </details>
  );
}

interface ExtractionsProps {
  readonly extract: readonly DraftExtraction[];
  readonly isReadOnly: boolean;
  readonly onChange: (extract: readonly DraftExtraction[]) => void;
}

function Extractions({ extract, isReadOnly, onChange }: ExtractionsProps) {
  const change = (index: number, changes: Partial<DraftExtraction>): void =>
    onChange(extract.map((one, at) => (at === index ? { ...one, ...changes } : one)));
  return (
    <div>
      <p class="soft">Values that later checks of the group take from its answer</p>
      {extract.map(({ name, from, secret }, index) => (
        <div key={index} class="extraction">
          <input
            aria-label="Name of the value"
            placeholder="token"
            value={name}
            onInput={(event) => change(index, { name: event.currentTarget.value })}
          />
          <input
            aria-label="Where it stands"
            class="mono"
            spellcheck={false}
            placeholder="json:$.token"
            value={from}
            onInput={(event) => change(index, { from: event.currentTarget.value })}
          />
          <label class="switch">
            <input type="checkbox" checked={secret} onChange={(event) => change(index, { secret: event.currentTarget.checked })} /> secret
          </label>
          {!isReadOnly && (
            <button
              type="button"
              class="quiet"
              aria-label={`Remove the value ${name}`}
              onClick={() => onChange(extract.filter((_, at) => at !== index))}
            >
              ×
            </button>
          )}
        </div>
      ))}
      {!isReadOnly && (
        <button type="button" onClick={() => onChange([...extract, { name: '', from: '', secret: true }])}>
          Add a value
        </button>
      )}
    </div>
  );
}
