import { Autocomplete, TextField } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FieldProps } from './draft';
import { runbooksQuery } from './queries';

/** The runbook URL, with the listed runbooks as suggestions. They are read when the field gets the focus. */
export function RunbookField({ value, problem, change }: FieldProps) {
  const [wanted, setWanted] = useState(false);
  const { data } = useQuery({ ...runbooksQuery, enabled: wanted });
  const listed = data ?? [];
  const hint =
    listed.length > 0
      ? 'Select a runbook or enter its URL. Agents read it before they start.'
      : 'Agents read the runbook before they start.';
  return (
    <Autocomplete
      freeSolo
      options={listed}
      inputValue={value}
      onInputChange={(_, text) => change(text)}
      onFocus={() => setWanted(true)}
      getOptionKey={(option) => option}
      openOnFocus
      renderOption={({ key, ...props }, option) => (
        <li key={key} {...props} data-testid="runbook-option" title={option}>
          {shortName(option)}
        </li>
      )}
      renderInput={({ slotProps, ...params }) => (
        <TextField
          {...params}
          label="Runbook (optional)"
          placeholder="https://…"
          error={problem !== undefined}
          helperText={problem ?? hint}
          slotProps={{
            ...slotProps,
            htmlInput: {
              ...slotProps.htmlInput,
              'data-testid': 'runbook-input',
              inputMode: 'url',
            },
          }}
        />
      )}
    />
  );
}

/** The last two folders and the file name. */
function shortName(url: string): string {
  const parts = url.replace(/[?#].*$/, '').split('/');
  return parts.length > 5 ? `…/${parts.slice(-3).join('/')}` : url;
}
