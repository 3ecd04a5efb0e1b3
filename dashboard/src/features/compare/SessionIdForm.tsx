import { Box, Button, TextField } from '@mui/material';
import { useState, type FormEvent } from 'react';
import { findSessionId } from '../../lib/browser/paths';

interface SessionIdFormProps {
  readonly label: string;
  readonly onChoose: (id: string) => void;
}

/** Takes the id of a session, or the address of its page. */
export function SessionIdForm({ label, onChoose }: SessionIdFormProps) {
  const [input, setInput] = useState('');
  const [invalid, setInvalid] = useState(false);

  function submit(event: FormEvent): void {
    event.preventDefault();
    const id = findSessionId(input);
    setInvalid(id === null);
    if (id !== null) onChoose(id);
  }

  return (
    <Box component="form" onSubmit={submit} sx={{ display: 'flex', gap: 1, mt: 2 }}>
      <TextField
        size="small"
        fullWidth
        label={label}
        value={input}
        onChange={(event) => setInput(event.target.value)}
        error={invalid}
        helperText={
          invalid ? 'This is not a session ID. Copy it from the page of the session.' : undefined
        }
      />
      <Button type="submit" variant="outlined" sx={{ height: 40 }}>
        Compare
      </Button>
    </Box>
  );
}
