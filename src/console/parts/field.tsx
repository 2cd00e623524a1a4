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
export function Field({ label, value, onChange, field, ...rest }: FieldProps) {
  return (
    <label>
      {label}
      <input
        {...rest}
        {...(field !== undefined && { ref: field })}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
        required
      />
    </label>
  );
}
