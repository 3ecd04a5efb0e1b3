import { Autocomplete, TextField } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { runbooksQuery } from './queries';

interface RunbookFieldProps {
  readonly value: string;
  readonly problem: string | undefined;
  readonly change: (value: string) => void;
}

/** A runbook from the list, or any other address written by hand. */
export function RunbookField({ value, problem, change }: RunbookFieldProps) {
  const { data } = useQuery(runbooksQuery);
  const known = data ?? [];
  const hint =
    known.length > 0
      ? 'Pick one or write its address. The agents read it before they start.'
      : 'The agents read it before they start.';
  return (
    <Autocomplete
      freeSolo
      options={known}
      inputValue={value}
      onInputChange={(_, text) => change(text)}
      getOptionKey={(option) => option}
      openOnFocus={known.length > 0}
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

/** The last folders and the file, which is what tells runbooks apart. */
function shortName(address: string): string {
  const parts = address.replace(/[?#].*$/, '').split('/');
  return parts.length > 5 ? `…/${parts.slice(-3).join('/')}` : address;
}
