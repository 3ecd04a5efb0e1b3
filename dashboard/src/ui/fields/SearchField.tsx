import { TextField } from '@mui/material';

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export default function SearchField({ label, value, onChange }: SearchFieldProps) {
  return (
    <TextField
      size="small"
      label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      sx={{ my: 1 }}
    />
  );
}
