import { Alert, AlertTitle, Box, Button, MenuItem, TextField, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, type FormEvent } from 'react';
import { asApiError, type ApiError } from '../../api/errors';
import { formatBytes } from '../../lib/format';
import { byteLength } from '../../lib/utf8';
import { Panel } from '../../ui/Panel';
import {
  MAX_DATA_BYTES,
  placeProblems,
  type Draft,
  type DraftField,
  type DraftProblems,
} from './draft';
import { alertTypesQuery } from './queries';
import { RunbookField } from './RunbookField';
import type { ToolChoice } from './toolChoice';
import { ToolPicker } from './ToolPicker';

interface SubmitFormProps {
  readonly draft: Draft;
  readonly problems: DraftProblems;
  readonly error: unknown;
  /** Counts refusals; each puts the cursor into the first field that is wrong. */
  readonly refusals: number;
  readonly sending: boolean;
  readonly change: (field: DraftField, value: string) => void;
  readonly changeTools: (choice: ToolChoice) => void;
  readonly send: () => void;
}

export function SubmitForm(props: SubmitFormProps) {
  const { draft, problems, error, refusals, sending, change, changeTools, send } = props;
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (refusals === 0) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusals]);
  const failure = error ? asApiError(error) : null;
  const { at, rest } = placeProblems(failure);
  const wrong: DraftProblems = { ...at, ...problems };
  function submitted(event: FormEvent): void {
    event.preventDefault();
    send();
  }
  return (
    <Panel title="Alert">
      <Box
        component="form"
        ref={form}
        noValidate
        onSubmit={submitted}
        aria-label="Submit an alert"
        sx={{ display: 'flex', flexDirection: 'column', gap: 2.25, pt: 0.5 }}
      >
        {failure && <Refusal error={failure} rest={rest} placed={Object.keys(at).length > 0} />}
        <AlertTypeField
          value={draft.alertType}
          problem={wrong.alertType}
          change={(value) => change('alertType', value)}
        />
        <DataField
          value={draft.data}
          problem={wrong.data}
          change={(value) => change('data', value)}
        />
        <RunbookField
          value={draft.runbook}
          problem={wrong.runbook}
          change={(value) => change('runbook', value)}
        />
        <ToolPicker
          alertType={draft.alertType}
          choice={draft.tools}
          problem={wrong.tools}
          change={changeTools}
        />
        <Box>
          <Button
            type="submit"
            variant="contained"
            size="large"
            disabled={sending}
            data-testid="submit-alert"
          >
            {sending ? 'Submitting…' : 'Start the investigation'}
          </Button>
        </Box>
      </Box>
    </Panel>
  );
}

interface FieldProps {
  readonly value: string;
  readonly problem: string | undefined;
  readonly change: (value: string) => void;
}

function AlertTypeField({ value, problem, change }: FieldProps) {
  const { data, error, isPending } = useQuery(alertTypesQuery);
  const types = data?.alert_types ?? [];
  const fallback = data?.default_alert_type;
  const unlisted = value !== '' && !types.some(({ type }) => type === value);
  const hint = error
    ? 'The types could not be loaded; the default chain is used.'
    : describe(value);

  function describe(type: string): string {
    if (type === '') return 'Decides which chain of agents investigates.';
    const known = types.find((entry) => entry.type === type);
    return (
      known?.description || (known ? `Chain ${known.chain_id}` : 'Decides the chain of agents.')
    );
  }

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
      <MenuItem value="">{fallback ? `Default (${fallback})` : 'Default'}</MenuItem>
      {unlisted && <MenuItem value={value}>{value}</MenuItem>}
      {types.map(({ type }) => (
        <MenuItem key={type} value={type}>
          {type}
        </MenuItem>
      ))}
    </TextField>
  );
}

function DataField({ value, problem, change }: FieldProps) {
  const bytes = byteLength(value);
  const over = bytes > MAX_DATA_BYTES;
  return (
    <Box>
      <TextField
        label="Alert data"
        required
        fullWidth
        multiline
        minRows={12}
        maxRows={28}
        value={value}
        onChange={(event) => change(event.target.value)}
        error={problem !== undefined || over}
        helperText={
          problem ?? 'JSON, YAML, a log excerpt or plain words. Secrets are masked on arrival.'
        }
        slotProps={{
          htmlInput: {
            'data-testid': 'alert-data-input',
            spellCheck: false,
            style: { fontFamily: 'var(--tarsy-mono)', fontSize: '0.8125rem' },
          },
        }}
      />
      <Typography
        data-testid="size-counter"
        sx={{
          fontSize: '0.75rem',
          color: over ? 'error.main' : 'text.secondary',
          textAlign: 'right',
        }}
      >
        {formatBytes(bytes)} of {formatBytes(MAX_DATA_BYTES)}
      </Typography>
    </Box>
  );
}

interface RefusalProps {
  readonly error: ApiError;
  readonly rest: readonly string[];
  readonly placed: boolean;
}

function Refusal({ error, rest, placed }: RefusalProps) {
  const busy = error.status === 429 || error.status === 503;
  const wait = error.retryAfterSeconds === null ? 'in a moment' : `in ${error.retryAfterSeconds} s`;
  return (
    <Alert severity={busy ? 'warning' : 'error'} data-testid="submit-error">
      <AlertTitle>{busy ? 'TARSy is busy' : 'The alert was not accepted'}</AlertTitle>
      {busy ? `Try again ${wait}. Your text is kept.` : error.message}
      {rest.map((line) => (
        <div key={line}>{line}</div>
      ))}
      {placed && <div>See the marked fields.</div>}
    </Alert>
  );
}
