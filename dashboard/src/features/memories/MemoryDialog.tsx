import {
  Alert,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogContentText,
  DialogTitle,
  TextField,
} from '@mui/material';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { asApiError } from '../../api/errors';
import { changeMemory, deleteMemory, MAX_MEMORY, memoryKeys } from '../../api/memories';
import type { Memory } from '../../api/memories';
import { showBidiControls } from '../../lib/text/bidi';

/** The dialog was opened to write into it. */
const focus = (input: HTMLElement | null) => input?.focus();

interface MemoryDialogProps {
  readonly memory: Memory;
  readonly kind: 'edit' | 'delete';
  readonly onClose: () => void;
}

/** Edits the text of a memory, or asks before it is deleted. */
export default function MemoryDialog({ memory, kind, onClose }: MemoryDialogProps) {
  const heading = useId();
  const [text, setText] = useState(memory.text);
  const { save, error, isPending } = useSave(onClose);
  const words = kind === 'delete' ? deleting(memory) : editing;
  const ready =
    !isPending && (kind === 'delete' || (text.trim() !== '' && text.trim() !== memory.text));

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!ready) return;
    save(() =>
      kind === 'delete' ? deleteMemory(memory.id) : changeMemory(memory.id, { text: text.trim() }),
    );
  }

  return (
    <Dialog open onClose={onClose} aria-labelledby={heading} fullWidth data-testid="memory-dialog">
      <form onSubmit={submit}>
        <DialogTitle id={heading}>{words.title}</DialogTitle>
        <DialogContent>
          <DialogContentText sx={{ mb: 2 }} dir="auto">
            {words.effect}
          </DialogContentText>
          {kind === 'edit' && <TextInput text={text} onChange={setText} />}
          {error && <Alert severity="error">{asApiError(error).message}</Alert>}
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>{words.keep}</Button>
          <Button type="submit" color={words.color} variant="contained" disabled={!ready}>
            {words.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface Words {
  readonly title: string;
  readonly effect: string;
  readonly keep: string;
  readonly save: string;
  readonly color: 'primary' | 'error';
}

const editing: Words = {
  title: 'Edit this memory',
  effect: 'Reviews do not change a text that a person wrote.',
  keep: 'Cancel',
  save: 'Save',
  color: 'primary',
};

function deleting(memory: Memory): Words {
  return {
    title: 'Delete this memory?',
    effect: `"${showBidiControls(memory.text)}" is deleted for good. Sessions keep what they were given.`,
    keep: 'Keep',
    save: 'Delete memory',
    color: 'error',
  };
}

/** Saves, reads the list again, and closes. */
function useSave(onClose: () => void) {
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: (change: () => Promise<unknown>) => change(),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: memoryKeys });
      onClose();
    },
  });
  return { save: mutate, error, isPending };
}

interface TextInputProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function TextInput({ text, onChange }: TextInputProps) {
  return (
    <TextField
      label="The fact"
      value={text}
      onChange={(event) => onChange(event.target.value)}
      inputRef={focus}
      fullWidth
      required
      multiline
      slotProps={{ htmlInput: { maxLength: MAX_MEMORY } }}
    />
  );
}
