/** Backups are files that an operator makes elsewhere: the service neither makes them nor knows of them. */
export function Backups() {
  return (
    <section class="section" aria-labelledby="backups">
      <h2 id="backups">Backups</h2>
      <p>
        <code>watchledger backup FILE</code> copies everything as of one instant beside the running service, and the keys into a file of
        their own. The service does not see these files: whether the last one is recent, the timetable that makes them has to say.
      </p>
      <p class="soft">
        A restore refuses a file that is incomplete or was changed. Keep the master key elsewhere; practise a restore before you need it.
      </p>
    </section>
  );
}
