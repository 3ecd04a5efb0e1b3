import { Autocomplete, TextField } from '@mui/material';

interface SuggestedFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly string[];
}

/** An exact value. It applies on Enter, when a suggestion is chosen, and when the field loses the focus. */
export function SuggestedField({ label, value, options, onChange }: SuggestedFieldProps) {
  return (
    <Autocomplete
      freeSolo
      autoSelect
      size="small"
      value={value}
      options={[...new Set(options)].toSorted((a, b) => a.localeCompare(b))}
      onChange={(_, next) => onChange((next ?? '').trim())}
      sx={{ width: { xs: '100%', sm: 190 } }}
      renderInput={(params) => <TextField {...params} label={label} />}
    />
  );
}
