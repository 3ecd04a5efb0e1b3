/** The fields of the settings, each with a hint that screen readers read with it. */
import { Box } from '@mui/material';
import { useId, type ReactNode } from 'react';
import { Secondary } from '../../ui/layout/Secondary';

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly options: readonly { readonly id: T; readonly label: string }[];
  readonly value: T;
  readonly onChange: (value: T) => void;
  /** What it means now. */
  readonly children?: ReactNode;
}

const fieldStyle = { border: 0, m: 0, p: 0, minWidth: 0, '& + &': { mt: 2 } } as const;

const optionStyle = {
  display: 'flex',
  alignItems: 'center',
  gap: 1,
  minHeight: 32,
  '& input': {
    width: 18,
    height: 18,
    m: 0,
    flexShrink: 0,
    accentColor: 'var(--mui-palette-primary-main)',
  },
  '& input:disabled + span': { color: 'text.secondary' },
} as const;

/** One of a few values, of which the arrow keys choose. */
export function Choice<T extends string>(props: ChoiceProps<T>) {
  const { label, options, value, onChange, children } = props;
  const name = useId();
  return (
    <Box component="fieldset" role="radiogroup" aria-labelledby={name} sx={fieldStyle}>
      <Box id={name} component="legend" sx={{ p: 0, fontSize: '0.8125rem', fontWeight: 600 }}>
        {label}
      </Box>
      {options.map(({ id, label: option }) => (
        <Box key={id} component="label" sx={optionStyle}>
          <input
            type="radio"
            name={name}
            value={id}
            checked={id === value}
            onChange={() => onChange(id)}
          />
          <span>{option}</span>
        </Box>
      ))}
      {children !== undefined && <Secondary>{children}</Secondary>}
    </Box>
  );
}

interface OnOffProps {
  readonly label: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (on: boolean) => void | Promise<void>;
  /** A hint, or why it could not be changed. */
  readonly children?: ReactNode;
}

export function OnOff({ label, checked, disabled = false, onChange, children }: OnOffProps) {
  const hint = useId();
  return (
    <>
      <Box component="label" sx={optionStyle}>
        <input
          type="checkbox"
          role="switch"
          aria-checked={checked}
          checked={checked}
          disabled={disabled}
          aria-describedby={hint}
          onChange={({ target }) => void onChange(target.checked)}
        />
        <span>{label}</span>
      </Box>
      <Box id={hint} role="status">
        <Secondary component="span">{children}</Secondary>
      </Box>
    </>
  );
}
