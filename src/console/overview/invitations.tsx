import { shownInstant } from '../frame/address.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { ROLES } from '../parts/words.ts';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { shortOf } from '../time/instants.ts';

interface InvitationsProps {
  readonly now: number;
  /** There is one site more. */
  readonly onAccept: () => void;
}

/** The sites that the person is invited to or offered: where no mail is sent, this is where they are answered. */
export function Invitations(props: InvitationsProps) {
  return shownInstant.value === null ? <OpenInvitations {...props} /> : null;
}

function OpenInvitations({ now, onAccept }: InvitationsProps) {
  const { value, reload } = useLoaded('', async (signal) => {
    const [invitations, transfers] = await Promise.all([
      service.get('/account/invitations', { signal }),
      service.get('/account/transfers', { signal }),
    ]);
    return { invitations: invitations.data, transfers: transfers.data };
  });
  if (value === undefined || value.invitations.length + value.transfers.length === 0) return null;
  const answered = async (call: Promise<unknown>, isAccepted: boolean): Promise<void> => {
    await call;
    reload();
    if (isAccepted) onAccept();
  };
  return (
    <ul class="rows-list section" aria-label="Invitations">
      {value.invitations.map(({ id, invitedBy, project, role, expires }) => (
        <Invitation
          key={id}
          sentence={`${nameOf(invitedBy)} invites you as ${ROLES[role.id]} to`}
          project={project}
          until={shortOf(Date.parse(expires), now)}
          accept={() => answered(service.post('/account/invitations/{id}/accept', { path: { id } }), true)}
          decline={() => answered(service.post('/account/invitations/{id}/decline', { path: { id } }), false)}
        />
      ))}
      {value.transfers.map(({ id, offeredBy, project, expires }) => (
        <Invitation
          key={id}
          sentence={`${nameOf(offeredBy)} wants to make you the owner of`}
          project={project}
          until={shortOf(Date.parse(expires), now)}
          accept={() => answered(service.post('/account/transfers/{id}/accept', { path: { id } }), true)}
          decline={() => answered(service.post('/account/transfers/{id}/decline', { path: { id } }), false)}
        />
      ))}
    </ul>
  );
}

interface InvitationProps {
  /** Before the name of the site. */
  readonly sentence: string;
  readonly project: { readonly title: string; readonly url: string };
  readonly until: string;
  readonly accept: () => Promise<void>;
  readonly decline: () => Promise<void>;
}

function Invitation({ sentence, project: { title, url }, until, accept, decline }: InvitationProps) {
  return (
    <li class="wrap">
      <span class="grow">
        {sentence} <strong>{title}</strong> <span class="mono soft">{url}</span> <span class="soft">until {until}</span>
      </span>
      <span class="actions tight">
        <ActionButton label="Accept" about={`the invitation to ${title}`} run={() => accept().then(() => undefined)} />
        <ActionButton label="Decline" about={`the invitation to ${title}`} run={() => decline().then(() => undefined)} />
      </span>
    </li>
  );
}

const nameOf = ({ name, email }: { readonly name: string | null; readonly email: string | null }): string =>
  name ?? email ?? 'An account that was deleted';
