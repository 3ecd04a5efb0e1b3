import {
  Alert,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  TextField,
} from '@mui/material';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { asApiError } from '../../api/errors';
import {
  editProse,
  postmortemKey,
  proseKey,
  type Prose,
  type ProseTexts,
} from '../../api/postmortem';

/** Characters of a section, as the API has it. */
const MAX_SECTION = 8_000;

const sections = [
  ['summary', 'Summary'],
  ['what_happened', 'What happened'],
  ['lessons', 'Lessons'],
] as const;

/** The text of a person, else the sentences of the model. */
function textsOf({ edited, sentences }: Prose): ProseTexts {
  const written = (section: string) =>
    sentences
      .filter((sentence) => sentence.section === section)
      .map(({ text }) => text)
      .join(' ');
  return {
    summary: edited?.summary ?? written('summary'),
    what_happened: edited?.what_happened ?? written('what_happened'),
    lessons: edited?.lessons ?? written('lessons'),
  };
}

interface ProseEditorProps {
  readonly session: string;
  readonly prose: Prose;
  readonly onClose: () => void;
}

/** Edits what a model wrote of an incident. */
export default function ProseEditor({ session, prose, onClose }: ProseEditorProps) {
  const heading = useId();
  const client = useQueryClient();
  const [texts, setTexts] = useState(() => textsOf(prose));
  const save = useMutation({
    mutationFn: () => editProse(session, texts),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: proseKey(session) });
      await client.invalidateQueries({ queryKey: postmortemKey(session) });
      onClose();
    },
  });
  const empty = Object.values(texts).every((text) => text.trim() === '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!empty && !save.isPending) save.mutate();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      aria-labelledby={heading}
      maxWidth="md"
      fullWidth
      data-testid="prose-editor"
    >
      <form onSubmit={submit}>
        <DialogTitle id={heading}>Edit text</DialogTitle>
        <DialogContent sx={{ display: 'grid', gap: 2 }}>
          {sections.map(([key, label]) => (
            <TextField
              key={key}
              label={label}
              value={texts[key]}
              onChange={(event) => setTexts({ ...texts, [key]: event.target.value })}
              multiline
              minRows={3}
              maxRows={12}
              fullWidth
              margin="dense"
              slotProps={{ htmlInput: { maxLength: MAX_SECTION } }}
            />
          ))}
          {save.error && <Alert severity="error">{asApiError(save.error).message}</Alert>}
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="contained" disabled={empty || save.isPending}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
