import {
  Alert,
  Box,
  Button,
  DialogActions,
  DialogContent,
  DialogTitle,
  TextField,
} from '@mui/material';
import { useEffect, useRef, useState, type FormEvent, type KeyboardEvent } from 'react';
import { asApiError, type ApiError } from '../../api/errors';
import type { NewToken } from '../../api/tokens';
import { isSendKey } from '../../lib/browser/sendKey';
import {
  emptyDraft,
  problemsOf,
  toRequest,
  validate,
  type Draft,
  type DraftProblems,
} from './draft';
import { TraceId } from '../../ui/text/TraceId';
import { GrantFields } from './GrantFields';

interface TokenFormProps {
  /** Element id of the dialog's title. */
  readonly heading: string;
  readonly sending: boolean;
  readonly error: unknown;
  readonly send: (token: NewToken) => void;
  /** Called with each change of a field. */
  readonly onChange: () => void;
  readonly onClose: () => void;
}

export function TokenForm(props: TokenFormProps) {
  const { heading, sending, error, send, onChange, onClose } = props;
  const [draft, setDraft] = useState(emptyDraft);
  const [found, setFound] = useState<DraftProblems>({});
  const form = useFocusOnProblem(found, error);

  function submit(event: FormEvent): void {
    event.preventDefault();
    const invalid = validate(draft);
    setFound(invalid);
    if (Object.keys(invalid).length === 0) send(toRequest(draft));
  }

  function change(changes: Partial<Draft>): void {
    setDraft({ ...draft, ...changes });
    setFound({});
    if (error) onChange();
  }

  return (
    <Box
      component="form"
      ref={form}
      noValidate
      onSubmit={submit}
      onKeyDown={(event: KeyboardEvent) => {
        if (!isSendKey(event)) return;
        // Without this the browser may send the form, too.
        event.preventDefault();
        form.current?.requestSubmit();
      }}
      aria-labelledby={heading}
    >
      <DialogTitle id={heading}>Create an API token</DialogTitle>
      <DialogContent>
        <Fields
          draft={draft}
          found={found}
          rejected={error ? asApiError(error) : null}
          change={change}
        />
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose} disabled={sending}>
          Cancel
        </Button>
        <Button type="submit" variant="contained" disabled={sending}>
          {sending ? 'Creating…' : 'Create'}
        </Button>
      </DialogActions>
    </Box>
  );
}

interface FieldsProps {
  readonly draft: Draft;
  readonly found: DraftProblems;
  readonly rejected: ApiError | null;
  readonly change: (changes: Partial<Draft>) => void;
}

function Fields({ draft, found, rejected, change }: FieldsProps) {
  const problems = { ...problemsOf(rejected), ...found };
  const name = useRef<HTMLInputElement>(null);
  useEffect(() => name.current?.focus(), []);
  return (
    <Box sx={{ display: 'grid', gap: 2.25, pt: 1 }}>
      {rejected && Object.keys(problems).length === 0 && (
        <Alert severity="error" data-testid="token-error">
          The token was not created: {rejected.message}
          <TraceId error={rejected} />
        </Alert>
      )}
      <TextField
        inputRef={name}
        label="Name"
        value={draft.name}
        onChange={(event) => change({ name: event.target.value })}
        error={problems.name !== undefined}
        helperText={problems.name ?? 'Who uses it, such as alertmanager. The audit log shows it.'}
        autoComplete="off"
      />
      <GrantFields draft={draft} problems={problems} change={change} />
      <TextField
        label="Expires after days"
        type="number"
        value={draft.days}
        onChange={(event) => change({ days: event.target.value })}
        error={problems.days !== undefined}
        helperText={problems.days}
        slotProps={{ htmlInput: { min: 1, max: 3650, step: 1 } }}
      />
    </Box>
  );
}

/** Moves the focus to the first invalid field after each rejection, by the form or by the API. */
function useFocusOnProblem(found: DraftProblems, error: unknown) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (Object.keys(found).length === 0 && !error) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [found, error]);
  return form;
}
