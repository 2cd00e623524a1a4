import { useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { OpenedForm } from '../parts/opened-form.tsx';
import { type MemberRole, ROLES } from '../parts/words.ts';
import { errorSentence, service } from '../service/service.ts';

type Member = Schemas['ProjectUser'];
type LeftBehind = NonNullable<Schemas['MemberRemoved']['serviceAccounts']>;

interface MembersProps {
  readonly projectId: string;
  readonly members: readonly Member[];
  readonly mayManage: boolean;
  readonly changed: () => void;
}

/** Who sees the project, and as what. */
export function Members({ projectId, members, mayManage, changed }: MembersProps) {
  const [left, setLeft] = useState<LeftBehind>([]);
  return (
    <>
      <ul class="people">
        {members.map((member) => (
          <li key={member.id}>
            <span>
              {nameOf(member)} {mayManage && <span class="soft">{member.email}</span>}
            </span>
            {mayManage && !member.isPayer ? (
              <Managed projectId={projectId} member={member} changed={changed} removed={setLeft} />
            ) : (
              <span class="soft">{member.isPayer ? 'owner' : ROLES[member.role.id]}</span>
            )}
          </li>
        ))}
      </ul>
      {left.length > 0 && <p role="status">{leftSentence(left)}</p>}
      {mayManage && <Invitation projectId={projectId} changed={changed} />}
    </>
  );
}

const nameOf = ({ name, email }: Member): string => name ?? email ?? 'deleted account';

/** What a removed member can still use. */
const leftSentence = (left: LeftBehind): string => {
  const named = left.map(({ name, tokens }) =>
    tokens.length === 0 ? name : `${name} (tokens: ${tokens.map((token) => token.name).join(', ')})`,
  );
  return `These service accounts, which the removed member set up or has tokens of, still work: ${named.join(', ')}. Revoke what is no longer needed.`;
};

interface ManagedProps {
  readonly projectId: string;
  readonly member: Member;
  readonly changed: () => void;
  readonly removed: (left: LeftBehind) => void;
}

function Managed({ projectId, member, changed, removed }: ManagedProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const change = async (role: MemberRole): Promise<void> => {
    setProblem(null);
    try {
      await service.put('/project/{id}/users/{userId}', { path: { id: projectId, userId: member.id }, body: { role } });
    } catch (error) {
      setProblem(errorSentence(error));
    }
    changed();
  };
  const remove = async (): Promise<undefined> => {
    const { data } = await service.delete('/project/{id}/users', { path: { id: projectId }, body: { users: [Number(member.id)] } });
    removed(data.serviceAccounts ?? []);
    changed();
  };
  return (
    <>
      {member.pending ? (
        <span class="soft">invited as {ROLES[member.role.id]}</span>
      ) : (
        <select
          aria-label={`Role of ${nameOf(member)}`}
          value={member.role.id}
          onChange={(event) => void change(event.currentTarget.value as MemberRole)}
        >
          <RoleOptions />
        </select>
      )}
      {member.canBeRemoved && <ActionButton label={member.pending ? 'Withdraw' : 'Remove'} about={nameOf(member)} run={remove} />}
      {problem !== null && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}

function Invitation({ projectId, changed }: { readonly projectId: string; readonly changed: () => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<MemberRole>('6');
  const invite = async (): Promise<undefined> => {
    await service.post('/project/{id}/users', { path: { id: projectId }, body: { email, role } });
    setEmail('');
    changed();
  };
  return (
    <OpenedForm label="Invite a person" submit="Invite" save={invite}>
      <label>
        E-mail address
        <input type="email" name="invited-email" value={email} onInput={(event) => setEmail(event.currentTarget.value)} required />
      </label>
      <label>
        Role
        <select name="invited-role" value={role} onChange={(event) => setRole(event.currentTarget.value as MemberRole)}>
          <RoleOptions />
        </select>
      </label>
    </OpenedForm>
  );
}

const RoleOptions = () => (
  <>
    {Object.entries(ROLES).map(([id, name]) => (
      <option key={id} value={id}>
        {name}
      </option>
    ))}
  </>
);
