import { describe, expect, it } from '@jest/globals';
import { decide } from '../../test/support/decide.ts';
import {
  changeDraft,
  discardDraft,
  draftForItem,
  draftIncident,
  editUpdate,
  endAutomatic,
  type IncidentEvent,
  incidents,
  KEPT_RESOLVED,
  MAX_OPEN_INCIDENTS,
  openIncident,
  publishAutomatic,
  publishDraft,
  updateIncident,
} from './incident.decider.ts';
import type { IncidentWords } from './status-page.settings.ts';

const { given } = decide(incidents);
const words: IncidentWords = { title: 'Payments fail', text: 'We look.', state: 'investigating', items: ['c'] };
const draft = { type: 'IncidentDrafted', data: { pageId: 'a', incidentId: 'i', ...words, automatic: null } } as const;
const published = (incidentId = 'i'): IncidentEvent => ({
  type: 'IncidentPublished',
  data: { pageId: 'a', incidentId, updateId: `${incidentId}-u`, ...words },
});
const resolved = (incidentId = 'i'): IncidentEvent => ({
  type: 'IncidentUpdated',
  data: { pageId: 'a', incidentId, updateId: 'end', state: 'resolved', text: 'It works.' },
});

describe('incidents', () => {
  it('are drafted, changed and published with the words of the draft', () => {
    given()
      .when((state) => draftIncident(state, draft.data, ['c']))
      .then(draft);
    given(draft)
      .when((state) => changeDraft(state, draft.data, ['c']))
      .then();
    given(draft)
      .when((state) => publishDraft(state, 'a', 'i', 'i-u'))
      .then(published());
    given(draft)
      .when((state) => updateIncident(state, { pageId: 'a', incidentId: 'i', updateId: 'u', state: 'resolved', text: 't' }))
      .thenRefused('INCIDENT_NOT_PUBLISHED');
  });

  it('that were published cannot be taken back', () => {
    for (const decision of [discardDraft, (state: Parameters<typeof publishDraft>[0]) => publishDraft(state, 'a', 'i', 'u')])
      given(published())
        .when((state) => decision(state, 'a', 'i'))
        .thenRefused('INCIDENT_PUBLISHED');
  });

  it('keep what an edited update said', () => {
    const edit = { pageId: 'a', incidentId: 'i', updateId: 'i-u', to: 'We know.' };
    const edited = {
      type: 'IncidentUpdateEdited',
      data: { pageId: 'a', incidentId: 'i', updateId: 'i-u', from: 'We look.', to: 'We know.' },
    } as const;
    given(published())
      .when((state) => editUpdate(state, edit))
      .then(edited);
    given(published(), edited)
      .when((state) => editUpdate(state, edit))
      .then();
    given(published())
      .when((state) => editUpdate(state, { ...edit, updateId: 'other' }))
      .thenRefused('INCIDENT_NOT_FOUND');
  });

  it('are about items of their page', () => {
    expect(() => openIncident(new Map(), { pageId: 'a', incidentId: 'i', updateId: 'u', ...words }, ['other'])).toThrow('"c" is no item');
  });

  it('are open in bounded number, and of the resolved ones the newest can be edited', () => {
    const many = Array.from({ length: MAX_OPEN_INCIDENTS }, (_, nth) => published(String(nth)));
    const next = { pageId: 'a', incidentId: 'next', updateId: 'u', ...words };
    given(...many)
      .when((state) => openIncident(state, next, ['c']))
      .thenRefused('TOO_MANY_INCIDENTS');
    given(...many, resolved('0'))
      .when((state) => openIncident(state, next, ['c']))
      .then({ type: 'IncidentPublished', data: next });
    const old = Array.from({ length: KEPT_RESOLVED + 1 }, (_, nth) => [published(String(nth)), resolved(String(nth))]).flat();
    const { state } = given(...old, published('new'));
    expect([state.has('0'), state.has('1'), state.has('new'), state.size]).toEqual([false, true, true, KEPT_RESOLVED + 1]);
  });
});

describe('drafts of the service', () => {
  const automatic = {
    type: 'IncidentDrafted',
    data: { pageId: 'a', incidentId: 'i', ...words, automatic: { item: 'c', event: 'e' } },
  } as const;
  const end = { pageId: 'a', item: 'c', updateId: 'end', text: 'It works.' };

  it('are made once for an item, as long as nothing open is about it', () => {
    const again = { ...automatic.data, incidentId: 'other' };
    for (const open of [automatic, draft, published()])
      given(open)
        .when((state) => draftForItem(state, again, ['c']))
        .then();
    given(published(), resolved())
      .when((state) => draftForItem(state, again, ['c']))
      .then({ type: 'IncidentDrafted', data: again });
    given()
      .when((state) => draftForItem(state, again, ['d']))
      .then();
  });

  it('end with the failure: a draft is discarded, an incident is resolved where the page wants that', () => {
    given(automatic)
      .when((state) => endAutomatic(state, end))
      .then({ type: 'IncidentDraftDiscarded', data: { pageId: 'a', incidentId: 'i' } });
    given(automatic, published())
      .when((state) => endAutomatic(state, end))
      .then(resolved());
    given(automatic, published())
      .when((state) => endAutomatic(state, { ...end, text: null }))
      .then();
    given(automatic, published(), resolved())
      .when((state) => endAutomatic(state, end))
      .then();
  });

  it('belong to the person who has changed them', () => {
    const mine = { type: 'IncidentDraftChanged', data: { pageId: 'a', incidentId: 'i', ...words, title: 'Mine' } } as const;
    given(automatic)
      .when((state) => publishAutomatic(state, 'a', 'i', 'i-u'))
      .then(published());
    given(automatic, mine)
      .when((state) => publishAutomatic(state, 'a', 'i', 'i-u'))
      .then();
    given(automatic, mine)
      .when((state) => endAutomatic(state, end))
      .then();
  });
});
