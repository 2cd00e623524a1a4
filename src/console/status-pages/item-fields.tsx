import { useState } from 'preact/hooks';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { idOfItem, movedItem, type PageItem, type StatusPage } from './page-draft.ts';
import { mayShow } from './page-rights.ts';

type Group = StatusPage['groups'][number];

interface ItemFieldsProps {
  readonly groups: readonly Group[];
  readonly onChange: (groups: readonly Group[]) => void;
}

/** The headings of a page, each with what it shows under a name for outsiders. */
export function ItemFields({ groups, onChange }: ItemFieldsProps) {
  const set = (index: number, group: Group): void => onChange(groups.with(index, group));
  const used = new Set(groups.flatMap(({ items }) => items.map(idOfItem)));
  return (
    <>
      {groups.map((group, index) => (
        <fieldset key={index} class="fields page-group">
          <legend class="hidden">Heading {index + 1}</legend>
          <label>
            Heading, empty for none
            <input
              name={`heading-${String(index)}`}
              value={group.name}
              onInput={(event) => set(index, { ...group, name: event.currentTarget.value })}
            />
          </label>
          <ol class="rows-list">
            {group.items.map((item, place) => (
              <Item
                key={idOfItem(item)}
                item={item}
                isFirst={place === 0}
                isLast={place === group.items.length - 1}
                rename={(name) => set(index, { ...group, items: group.items.with(place, { ...item, name }) })}
                move={(by) => set(index, { ...group, items: [...movedItem(group.items, place, by)] })}
                remove={() => set(index, { ...group, items: group.items.toSpliced(place, 1) })}
              />
            ))}
          </ol>
          <NewItem place={index} used={used} add={(item) => set(index, { ...group, items: [...group.items, item] })} />
        </fieldset>
      ))}
      <button type="button" onClick={() => onChange([...groups, { name: '', items: [] }])}>
        Add a heading
      </button>
    </>
  );
}

interface ItemProps {
  readonly item: PageItem;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly rename: (name: string) => void;
  readonly move: (by: number) => void;
  readonly remove: () => void;
}

function Item({ item, isFirst, isLast, rename, move, remove }: ItemProps) {
  const kind = item.project !== undefined ? 'site' : item.group !== undefined ? 'group of checks' : 'check';
  return (
    <li class="wrap">
      <label class="grow">
        Name of a {kind}
        <input name={`item-${idOfItem(item)}`} value={item.name} onInput={(event) => rename(event.currentTarget.value)} required />
      </label>
      <div class="actions tight">
        <button type="button" aria-label={`Move ${item.name} up`} aria-disabled={isFirst} onClick={() => move(-1)}>
          ↑
        </button>
        <button type="button" aria-label={`Move ${item.name} down`} aria-disabled={isLast} onClick={() => move(1)}>
          ↓
        </button>
        <button type="button" aria-label={`Remove ${item.name}`} onClick={remove}>
          ×
        </button>
      </div>
    </li>
  );
}

interface NewItemProps {
  readonly place: number;
  readonly used: ReadonlySet<string>;
  readonly add: (item: PageItem) => void;
}

/** A site, or a part of it. */
function NewItem({ place, used, add }: NewItemProps) {
  const [project, setProject] = useState('');
  const projects = useLoaded(
    '',
    async (signal) => (await service.get('/projects', { query: { limit: 1_000, sort: 'title' }, signal })).data.projects,
  );
  /** Null when the role of the person may not show the site. */
  const parts = useLoaded(project, async (signal): Promise<readonly PageItem[] | null> => {
    if (project === '') return [];
    const path = { id: project };
    const [isAllowed, areas, tests] = await Promise.all([
      mayShow(project, signal),
      service.get('/project/{id}/areas', { path, signal }),
      service.get('/project/{id}/tests', { path, signal }),
    ]);
    if (!isAllowed) return null;
    return [
      { name: projects.value?.find(({ id }) => id === project)?.title ?? '', project },
      ...areas.data.map(({ id, name }) => ({ name, group: id })),
      ...tests.data.map(({ id, name, url }) => ({ name: name === '' ? url : name, check: id })),
    ];
  });
  const isRefused = !parts.isStale && parts.value === null;
  const offered = parts.isStale ? [] : (parts.value ?? []).filter((item) => !used.has(idOfItem(item)));
  if (projects.value?.length === 0) return <p class="soft">A page shows your sites, and there is none yet.</p>;
  return (
    <div class="new-item">
      <label>
        Add a site, or a part of one
        <select name={`site-${String(place)}`} value={project} onChange={(event) => setProject(event.currentTarget.value)}>
          <option value="">choose a site …</option>
          {projects.value?.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {isRefused && <p class="soft">Your role shows it on no status page; admins of the site do.</p>}
      {project !== '' && !isRefused && (
        <label>
          What of it
          <select
            name={`part-${String(place)}`}
            value=""
            onChange={(event) => {
              const item = offered.find((one) => idOfItem(one) === event.currentTarget.value);
              if (item !== undefined) add(item);
            }}
          >
            <option value="">choose …</option>
            {offered.map((item) => (
              <option key={idOfItem(item)} value={idOfItem(item)}>
                {item.project !== undefined ? 'the site itself' : item.group !== undefined ? `group ${item.name}` : `check ${item.name}`}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}
