import { Alert, AlertTitle, Box, Button } from '@mui/material';
import { useEffect, useRef, type FormEvent, type KeyboardEvent } from 'react';
import { asApiError, type ApiError } from '../../api/errors';
import { isSendKey } from '../../lib/browser/sendKey';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { TraceId } from '../../ui/text/TraceId';
import { AlertTypeField } from './AlertTypeField';
import { DataField } from './DataField';
import { fieldProblems, type Draft, type DraftField, type DraftProblems } from './draft';
import { ProviderField } from './ProviderField';
import { RunbookField } from './RunbookField';
import { ToolPicker } from './ToolPicker';
import type { ToolSelection } from './toolSelection';

interface SubmitFormProps {
  readonly draft: Draft;
  readonly problems: DraftProblems;
  readonly error: unknown;
  /** Number of rejected submissions; each focuses the first invalid field. */
  readonly rejections: number;
  readonly sending: boolean;
  readonly change: (field: DraftField, value: string) => void;
  readonly changeTools: (selection: ToolSelection) => void;
  readonly send: () => void;
}

export function SubmitForm(props: SubmitFormProps) {
  const { rejections, sending, send } = props;
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (rejections === 0) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [rejections]);
  const error = props.error ? asApiError(props.error) : null;
  const { byField, other } = fieldProblems(error);
  return (
    <Panel title="Alert">
      <Box
        component="form"
        ref={form}
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          send();
        }}
        onKeyDown={(event: KeyboardEvent) => {
          if (isSendKey(event) && !sending) send();
        }}
        aria-label="Submit an alert"
        sx={{ display: 'flex', flexDirection: 'column', gap: 2.25, pt: 0.5 }}
      >
        {error && (
          <SubmitError
            error={error}
            other={other}
            hasFieldProblems={Object.keys(byField).length > 0}
          />
        )}
        <Fields {...props} problems={{ ...byField, ...props.problems }} />
        <Box>
          <Button
            type="submit"
            variant="contained"
            size="large"
            disabled={sending}
            data-testid="submit-alert"
          >
            {sending ? 'Submitting…' : 'Start investigation'}
          </Button>
          <Secondary
            component="span"
            size="small"
            sx={{ ml: 1.5, display: { xs: 'none', sm: 'inline' } }}
          >
            or press Ctrl+Enter or ⌘+Enter
          </Secondary>
        </Box>
      </Box>
    </Panel>
  );
}

function Fields({ draft, problems, change, changeTools }: SubmitFormProps) {
  const field = (name: DraftField) => ({
    value: draft[name],
    problem: problems[name],
    change: (value: string) => change(name, value),
  });
  return (
    <>
      <AlertTypeField {...field('alertType')} />
      <DataField {...field('data')} />
      <RunbookField {...field('runbook')} />
      <ToolPicker
        alertType={draft.alertType}
        selection={draft.tools}
        problem={problems.tools}
        change={changeTools}
      />
      <ProviderField {...field('provider')} alertType={draft.alertType} />
    </>
  );
}

interface SubmitErrorProps {
  readonly error: ApiError;
  /** Problems of fields that the form does not have. */
  readonly other: readonly string[];
  readonly hasFieldProblems: boolean;
}

function SubmitError({ error, other, hasFieldProblems }: SubmitErrorProps) {
  const busy = error.status === 429 || error.status === 503;
  const delay =
    error.retryAfterSeconds === null ? 'in a moment' : `in ${error.retryAfterSeconds} s`;
  return (
    <Alert severity={busy ? 'warning' : 'error'} data-testid="submit-error">
      <AlertTitle>{busy ? 'TARSy is busy' : 'Alert rejected'}</AlertTitle>
      {busy ? `Retry ${delay}. Your text is kept.` : error.message}
      {other.map((line) => (
        <div key={line}>{line}</div>
      ))}
      {hasFieldProblems && <div>See the highlighted fields.</div>}
      <TraceId error={error} />
    </Alert>
  );
}
