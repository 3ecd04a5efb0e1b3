import { Box, Button, TextField } from '@mui/material';
import { useState, type KeyboardEvent } from 'react';
import { asApiError } from '../../api/errors';
import { MAX_ASSIGNEE_LENGTH, MAX_NOTE_LENGTH, type TriageChange } from '../../api/triage';
import { randomKey } from '../../lib/browser/randomKey';
import { isSendKey } from '../../lib/browser/sendKey';
import { Callout } from '../../ui/notices/Callout';
import { Secondary } from '../../ui/layout/Secondary';
import { TraceId } from '../../ui/text/TraceId';
import { useTriage } from './useTriage';

interface NoteFormProps {
  readonly session: string;
  /** Whether somebody has the session: an assignment then takes it over. */
  readonly isHeld: boolean;
}

/** What is entered, and how it is saved. */
function useNote({ session, isHeld }: NoteFormProps) {
  const save = useTriage(session);
  const [note, setNote] = useState('');
  const [assignee, setAssignee] = useState('');
  // Another attempt to save is the same note, until it is edited.
  const [id, setId] = useState(randomKey);
  const edit = (set: (text: string) => void) => (text: string) => {
    set(text);
    setId(randomKey());
  };
  const change = toChange(note.trim(), assignee.trim(), isHeld);
  const send = () => {
    if (change === null || save.isPending) return;
    save.mutate(
      { id, ...change },
      {
        onSuccess: () => {
          edit(setNote)('');
          setAssignee('');
        },
      },
    );
  };
  const canSend = change !== null && !save.isPending;
  const error = save.error;
  return {
    note,
    setNote: edit(setNote),
    assignee,
    setAssignee: edit(setAssignee),
    canSend,
    send,
    error,
  };
}

/** A note, an assignment, or both. */
export function NoteForm(props: NoteFormProps) {
  const { note, setNote, assignee, setAssignee, canSend, send, error } = useNote(props);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isSendKey(event)) return;
    event.preventDefault();
    send();
  };
  return (
    <Box sx={{ display: 'grid', gap: 1.5, py: 1 }} onKeyDown={onKeyDown}>
      <TextField
        label="Note"
        value={note}
        onChange={(event) => setNote(event.target.value)}
        multiline
        minRows={2}
        size="small"
        slotProps={{ htmlInput: { maxLength: MAX_NOTE_LENGTH, dir: 'auto' } }}
      />
      <TextField
        label="Assign to (optional)"
        value={assignee}
        onChange={(event) => setAssignee(event.target.value)}
        helperText="A user name, as in the list."
        size="small"
        slotProps={{ htmlInput: { maxLength: MAX_ASSIGNEE_LENGTH, dir: 'auto' } }}
      />
      {error && (
        <Callout tone="error" title="Nothing was saved" testId="note-error">
          {asApiError(error).message} What you entered is kept.
          <TraceId error={asApiError(error)} />
        </Callout>
      )}
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
        <Button
          variant="outlined"
          size="small"
          disabled={!canSend}
          onClick={send}
          data-testid="save-note"
        >
          {assignee.trim() === '' ? 'Add note' : 'Assign'}
        </Button>
        <Secondary component="span">Ctrl+Enter or ⌘+Enter saves.</Secondary>
      </Box>
    </Box>
  );
}

function toChange(note: string, assignee: string, takesOver: boolean): TriageChange | null {
  const noted = note === '' ? {} : { note };
  if (assignee === '') return note === '' ? null : noted;
  return { triage: 'taken', assignee, take_over: takesOver, ...noted };
}
