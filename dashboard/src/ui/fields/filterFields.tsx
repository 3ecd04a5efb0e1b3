import { MenuItem, TextField } from '@mui/material';

export interface Option {
  readonly value: string;
  readonly label: string;
}

export const asOptions = (values: readonly string[]): readonly Option[] =>
  values.map((value) => ({ value, label: value }));

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

interface SelectFieldProps extends FieldProps {
  /** `All` comes first. */
  readonly options: readonly Option[];
  /** What the empty value is called. */
  readonly all?: string;
  readonly testId?: string;
}

/** Selects one value, or all. A selected value that is no option any more stays selected. */
export function SelectField(props: SelectFieldProps) {
  const { label, value, options, all = 'All', onChange, testId } = props;
  const known = value === '' || options.some((option) => option.value === value);
  return (
    <TextField
      select
      size="small"
      label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      sx={{ minWidth: 140 }}
      slotProps={{
        select: { displayEmpty: true, SelectDisplayProps: { 'aria-label': label } },
        inputLabel: { shrink: true },
        htmlInput: { 'data-testid': testId },
      }}
    >
      <MenuItem value="">{all}</MenuItem>
      {!known && <MenuItem value={value}>{value}</MenuItem>}
      {options.map((option) => (
        <MenuItem key={option.value} value={option.value}>
          {option.label}
        </MenuItem>
      ))}
    </TextField>
  );
}

/** A time without a zone, such as `2026-11-22T10:30`. The browser reports an incomplete one as an empty value. */
export function TimeField({ label, value, onChange }: FieldProps) {
  return (
    <TextField
      size="small"
      type="datetime-local"
      label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      sx={{ width: { xs: '100%', sm: 210 } }}
      slotProps={{ inputLabel: { shrink: true } }}
    />
  );
}
