import { ToggleButton, ToggleButtonGroup } from '@mui/material';

interface ToggleFilterProps<T extends string> {
  readonly label: string;
  readonly options: readonly { readonly id: T; readonly label: string }[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** Buttons of which exactly one is selected. */
export function ToggleFilter<T extends string>(props: ToggleFilterProps<T>) {
  const { label, options, value, onChange } = props;
  return (
    <ToggleButtonGroup
      exclusive
      size="small"
      value={value}
      onChange={(_, next: T | null) => onChange(next ?? value)}
      aria-label={label}
    >
      {options.map((option) => (
        <ToggleButton key={option.id} value={option.id} sx={{ px: 1.25, py: 0.5 }}>
          {option.label}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
