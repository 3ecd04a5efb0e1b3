import { MenuItem, TextField } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FieldProps } from './draft';
import { systemInfoQuery } from '../../api/system';
import { useDefaultTools } from './defaultTools';

interface ProviderFieldProps extends FieldProps {
  readonly alertType: string;
}

/** The provider of this investigation, of those that the chain allows. Without a choice there is no field. */
export function ProviderField({ alertType, value, problem, change }: ProviderFieldProps) {
  const { data: defaults } = useDefaultTools(alertType);
  const allowed = defaults?.allowed_providers ?? [];
  // The models are read when the user turns to the field.
  const [wanted, setWanted] = useState(false);
  const { data: info } = useQuery({ ...systemInfoQuery, enabled: wanted });
  if (allowed.length <= 1 && value === '' && problem === undefined) return null;
  const names = value === '' || allowed.includes(value) ? allowed : [value, ...allowed];
  const modelOf = (name: string) => info?.providers.find((one) => one.name === name)?.model ?? '';
  return (
    <TextField
      select
      label="Provider"
      value={value}
      onChange={(event) => change(event.target.value)}
      onFocus={() => setWanted(true)}
      onPointerEnter={() => setWanted(true)}
      error={problem !== undefined}
      helperText={problem ?? 'Overrides the provider of every agent of the chain, and of chat.'}
      slotProps={{
        select: { displayEmpty: true, SelectDisplayProps: { 'aria-label': 'Provider' } },
        inputLabel: { shrink: true },
        htmlInput: { 'data-testid': 'provider-input' },
      }}
    >
      <MenuItem value="">Chain default</MenuItem>
      {names.map((name) => (
        <MenuItem key={name} value={name}>
          {modelOf(name) === '' ? name : `${name}: ${modelOf(name)}`}
        </MenuItem>
      ))}
    </TextField>
  );
}
