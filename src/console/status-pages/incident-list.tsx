import { useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { shownInstant } from '../frame/address.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { LoadedList } from '../parts/states.tsx';
import { OpenedForm } from '../parts/opened-form.tsx';
import { asOfShown, service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { fullOf, utcOf } from '../time/instants.ts';
import { idOfItem, type StatusPage } from './page-draft.ts';

type Incident = Schemas['Incident'];
type State = Incident['state'];

const STATES: readonly State[] = ['investigating', 'identified', 'monitoring', 'resolved'];

interface IncidentListProps {
  readonly page: StatusPage;
  readonly isNow: boolean;
}

/** What the page says about failures: drafts first, then what is published. */
export function IncidentList({ page, isNow }: IncidentListProps) {
  const loaded = useLoaded(`${page.id} ${String(shownInstant.value)}`, async (signal) => {
    const found = await service.list('/status-pages/{id}/incidents', { path: { id: page.id }, query: asOfShown(), signal }).all();
    return found.toSorted((one, other) => rankOf(one) - rankOf(other) || other.draftedAt.localeCompare(one.draftedAt));
  });
  return (
    <section class="section" aria-labelledby="incidents">
      <h2 id="incidents">Incidents</h2>
      <LoadedList what="Incidents" loaded={loaded} none="None.">
        {(incidents) => (
          <ul class="rows-list">
            {incidents.map((incident) => (
              <Row key={incident.id} page={page} incident={incident} isNow={isNow} changed={loaded.reload} />
            ))}
          </ul>
        )}
      </LoadedList>
      {isNow && <NewIncident page={page} changed={loaded.reload} />}
    </section>
  );
}

const rankOf = ({ draft, state }: Incident): number => (draft ? 0 : state === 'resolved' ? 2 : 1);

interface RowProps extends IncidentListProps {
  readonly incident: Incident;
  readonly changed: () => void;
}

function Row({ page, incident: { id, title, state, draft, automatic, text, updates }, isNow, changed }: RowProps) {
  const path = { id: page.id, incidentId: id };
  const publish = async (): Promise<undefined> => {
    await service.post('/status-pages/{id}/incidents/{incidentId}/publish', { path });
    changed();
  };
  const discard = async (): Promise<undefined> => {
    await service.delete('/status-pages/{id}/incidents/{incidentId}', { path });
    changed();
  };
  return (
    <li class="wrap">
      <div class="grow">
        <p>
          <strong>{title}</strong> <span class="tag">{draft ? (automatic ? 'draft of the service' : 'draft') : state}</span>
        </p>
        {text !== null && <p>{text}</p>}
        {updates.map((update) => (
          <Update key={update.id} path={path} update={update} isNow={isNow} changed={changed} />
        ))}
        {isNow && !draft && state !== 'resolved' && <NewUpdate path={path} title={title} state={state} changed={changed} />}
      </div>
      {isNow && draft && (
        <div class="actions tight">
          <ActionButton label="Publish" about={title} run={publish} />
          <ActionButton label="Discard" about={title} run={discard} />
        </div>
      )}
    </li>
  );
}

interface IncidentPath {
  readonly id: string;
  readonly incidentId: string;
}

interface UpdateProps {
  readonly path: IncidentPath;
  readonly update: Incident['updates'][number];
  readonly isNow: boolean;
  readonly changed: () => void;
}

function Update({ path, update: { id, state, text, at, edits }, isNow, changed }: UpdateProps) {
  const [wanted, setWanted] = useState(text);
  const save = async (): Promise<undefined> => {
    await service.put('/status-pages/{id}/incidents/{incidentId}/updates/{updateId}', {
      path: { ...path, updateId: id },
      body: { text: wanted },
    });
    changed();
  };
  const time = Date.parse(at);
  return (
    <div class="update">
      <p class="soft">
        {state},{' '}
        <time dateTime={at} title={utcOf(time)}>
          {fullOf(time)}
        </time>
        {edits.length > 0 && `, edited ${String(edits.length)} ${edits.length === 1 ? 'time' : 'times'}`}
      </p>
      <p>{text}</p>
      {isNow && (
        <OpenedForm label="Edit" about={text.slice(0, 40)} submit="Save the edit" opened={() => setWanted(text)} save={save}>
          <label>
            Text; the page shows that it was edited, and what it said
            <textarea name={`update-${id}`} rows={3} value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} required />
          </label>
        </OpenedForm>
      )}
    </div>
  );
}

interface NewUpdateProps {
  readonly path: IncidentPath;
  readonly title: string;
  readonly state: State;
  readonly changed: () => void;
}

function NewUpdate({ path, title, state, changed }: NewUpdateProps) {
  const [text, setText] = useState('');
  const [wanted, setWanted] = useState<State>(state);
  const save = async (): Promise<undefined> => {
    await service.post('/status-pages/{id}/incidents/{incidentId}/updates', { path, body: { text, state: wanted } });
    setText('');
    changed();
  };
  return (
    <OpenedForm label="Add an update" about={title} submit="Publish the update" opened={() => setWanted(state)} save={save}>
      <Words text={text} setText={setText} state={wanted} setState={setWanted} name="update" />
    </OpenedForm>
  );
}

function NewIncident({ page, changed }: { readonly page: StatusPage; readonly changed: () => void }) {
  const [title, setTitle] = useState('');
  const [text, setText] = useState('');
  const [state, setState] = useState<State>('investigating');
  const [items, setItems] = useState<readonly string[]>([]);
  const [isDraft, setDraft] = useState(false);
  const save = async (): Promise<undefined> => {
    const body = { title, text, state, items: [...items], draft: isDraft };
    await service.post('/status-pages/{id}/incidents', { path: { id: page.id }, body });
    setTitle('');
    setText('');
    changed();
  };
  return (
    <OpenedForm label="Write an incident" submit={isDraft ? 'Save the draft' : 'Publish'} save={save}>
      <label>
        Title
        <input name="incident-title" value={title} onInput={(event) => setTitle(event.currentTarget.value)} required />
      </label>
      <Words text={text} setText={setText} state={state} setState={setState} name="incident" />
      <fieldset class="choices">
        <legend class="soft">It is about</legend>
        {page.groups.flatMap((group) =>
          group.items.map((item) => (
            <label key={idOfItem(item)} class="switch">
              <input
                type="checkbox"
                checked={items.includes(idOfItem(item))}
                onChange={({ currentTarget: { checked } }) =>
                  setItems(checked ? [...items, idOfItem(item)] : items.filter((one) => one !== idOfItem(item)))
                }
              />{' '}
              {item.name}
            </label>
          )),
        )}
      </fieldset>
      <label class="switch">
        <input type="checkbox" checked={isDraft} onChange={(event) => setDraft(event.currentTarget.checked)} /> A draft, which outsiders do
        not see yet
      </label>
    </OpenedForm>
  );
}

interface WordsProps {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly state: State;
  readonly setState: (state: State) => void;
  readonly name: string;
}

/** What outsiders read, and the state from then on. */
function Words({ text, setText, state, setState, name }: WordsProps) {
  return (
    <>
      <label>
        What outsiders read
        <textarea name={`${name}-text`} rows={3} value={text} onInput={(event) => setText(event.currentTarget.value)} required />
      </label>
      <label>
        State
        <select name={`${name}-state`} value={state} onChange={(event) => setState(event.currentTarget.value as State)}>
          {STATES.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}
