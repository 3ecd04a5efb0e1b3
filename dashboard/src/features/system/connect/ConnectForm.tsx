import { Alert, Box, Button, TextField } from '@mui/material';
import { useEffect, useRef, type FormEvent } from 'react';
import { useLacksToken, useMay } from '../../../api/access';
import type { ConnectionField, ConnectionKind, Trial, Values } from '../../../api/connections';
import type { ApiError } from '../../../api/errors';
import { showBidiControls } from '../../../lib/text/bidi';
import { LocalTokenHint } from '../../../ui/notices/LocalTokenHint';
import { Panel } from '../../../ui/layout/Panel';
import { TraceId } from '../../../ui/text/TraceId';
import { TrialResult } from './TrialResult';

interface ConnectFormProps {
  readonly kind: ConnectionKind;
  readonly values: Values;
  readonly change: (name: string, value: string) => void;
  readonly error: ApiError | null;
  readonly loading: boolean;
  readonly showLines: () => void;
  readonly trial: TrialOfAddress;
}

interface TrialOfAddress {
  readonly pending: boolean;
  readonly result: Trial | null;
  readonly start: () => void;
}

export function ConnectForm(props: ConnectFormProps) {
  const { kind, values, change, error, loading, showLines, trial } = props;
  const problems = new Map(error?.fields.map(({ field, message }) => [field, message]));
  const named = kind.fields.some(({ name }) => problems.has(name));
  const form = useFocusOnProblem(error);

  function submit(event: FormEvent): void {
    event.preventDefault();
    showLines();
  }

  return (
    <Panel title={`1. Describe ${showBidiControls(kind.title)}`} testId="connect-form">
      <Box
        component="form"
        ref={form}
        noValidate
        onSubmit={submit}
        sx={{ display: 'grid', gap: 2, maxWidth: 640, pt: 1 }}
      >
        {kind.fields.map((field) => (
          <Field
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            problem={problems.get(field.name)}
            change={(value) => change(field.name, value)}
          />
        ))}
        {error && !named && (
          <Alert severity="error" data-testid="connect-error">
            {showBidiControls(error.message)}
            <TraceId error={error} />
          </Alert>
        )}
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5 }}>
          <Button type="submit" variant="contained" disabled={loading}>
            {loading ? 'Checking…' : 'Show lines'}
          </Button>
          {kind.can_be_tried && <TryButton trial={trial} />}
        </Box>
        {kind.can_be_tried && <TokenHint />}
        <TrialResult trial={trial.result} />
      </Box>
    </Panel>
  );
}

interface FieldProps {
  readonly field: ConnectionField;
  readonly value: string;
  /** What the API says of the value. */
  readonly problem: string | undefined;
  readonly change: (value: string) => void;
}

function Field({ field, value, problem, change }: FieldProps) {
  const { name, required } = field;
  const label = showBidiControls(field.label);
  return (
    <TextField
      label={required ? label : `${label} (optional)`}
      name={name}
      value={value}
      onChange={(event) => change(event.target.value)}
      error={problem !== undefined}
      helperText={showBidiControls(problem === undefined ? field.help : `${label} ${problem}.`)}
      autoComplete="off"
      slotProps={{
        htmlInput: { spellCheck: false, autoCapitalize: 'off', 'aria-required': required },
      }}
    />
  );
}

/** Hidden from users who may not. */
function TryButton({ trial }: { readonly trial: TrialOfAddress }) {
  if (!useMay('try_address')) return null;
  return (
    <Button variant="outlined" color="inherit" disabled={trial.pending} onClick={trial.start}>
      {trial.pending ? 'Connecting…' : 'Try address'}
    </Button>
  );
}

function TokenHint() {
  return useLacksToken('try_address') ? <LocalTokenHint activity="try the address" /> : null;
}

/** Moves the focus to the first field that the API rejects. */
function useFocusOnProblem(error: ApiError | null) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  return form;
}
