import { MenuItem, TextField } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { AlertTypes } from '../../api/alerts';
import { findReplacement } from './defaultTools';
import type { FieldProps } from './draft';
import { alertTypesQuery } from './queries';

/** The type of the alert. Where the default type cannot work, the first one that can is selected. */
export function AlertTypeField({ value, problem, change }: FieldProps) {
  const { data, error, isPending } = useQuery(alertTypesQuery);
  const types = data?.alert_types ?? [];
  const defaultType = data?.default_alert_type;
  const defaultWorks = (types.find(({ type }) => type === defaultType)?.problem ?? null) === null;
  const working = types.find(({ problem: why }) => why === null)?.type;
  const replacement = findReplacement(data, value);
  const choose = useEffectEvent(change);
  useEffect(() => {
    if (replacement !== undefined) choose(replacement);
  }, [replacement]);
  const unlisted = value !== '' && !types.some(({ type }) => type === value);
  const hint = error
    ? 'Alert types could not be loaded. The default chain is used.'
    : describeType(types, value);
  return (
    <TextField
      select
      label="Alert type"
      value={value}
      onChange={(event) => change(event.target.value)}
      disabled={isPending}
      error={problem !== undefined}
      helperText={problem ?? hint}
      slotProps={{
        select: { displayEmpty: true, SelectDisplayProps: { 'aria-label': 'Alert type' } },
        inputLabel: { shrink: true },
        htmlInput: { 'data-testid': 'alert-type-input' },
      }}
    >
      <MenuItem value="" disabled={!defaultWorks && working !== undefined}>
        {defaultType ? `Default (${defaultType})` : 'Default'}
      </MenuItem>
      {unlisted && <MenuItem value={value}>{value}</MenuItem>}
      {types.map(({ type }) => (
        <MenuItem key={type} value={type}>
          {type}
        </MenuItem>
      ))}
    </TextField>
  );
}

function describeType(types: AlertTypes['alert_types'], type: string): string {
  const listed = types.find((entry) => entry.type === type);
  if (!listed) return 'Selects the agent chain.';
  return listed.problem ?? (listed.description || `Chain ${listed.chain_id}`);
}
