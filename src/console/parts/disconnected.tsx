/** A thin line above everything: what is shown may be old, and nothing that was typed is lost. */
export function Disconnected() {
  return (
    <div class="disconnected" role="status">
      The service does not answer. What is shown may be old, and what you type is kept; the page connects again by itself.
    </div>
  );
}
