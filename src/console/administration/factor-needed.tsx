import { loadSession, signOut } from '../session/session.ts';
import { SecondFactors } from './second-factors.tsx';

/** The only page of an account that must have a second factor, until it has one. */
export function FactorNeeded() {
  return (
    <main class="page">
      <h1>Your account needs a second factor.</h1>
      <p class="soft">Its plan or its role asks for one. Until it has one, it can do nothing else.</p>
      <SecondFactors isNow changed={() => void loadSession()} />
      <div class="actions">
        <button class="quiet" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </main>
  );
}
