import type { Ref } from 'preact';

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly type?: 'text' | 'email' | 'password';
  /** As browsers and password managers know it. */
  readonly autocomplete: string;
  readonly minLength?: number;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly field?: Ref<HTMLInputElement>;
}

/** A line of text that has to be filled in. */
export function Field({ label, value, onChange, field = null, ...rest }: FieldProps) {
  // As an object, because each type of an input has declarations of its own.
  const attributes: object = rest;
  return (
    <label>
      {label}
      <input {...attributes} ref={field} value={value} onInput={(event) => onChange(event.currentTarget.value)} required />
    </label>
  );
}
