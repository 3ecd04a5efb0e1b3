import { Box, TextField } from '@mui/material';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { meQuery } from '../../api/access';
import { keys } from '../../api/keys';
import { ownName, setOwnName } from '../../api/unlock';
import { Panel } from '../../ui/layout/Panel';

const MAX_NAME = 60;

/** The name under which others read what this browser's user does, in mode `local`, where nobody signs in. */
export function YourName() {
  const client = useQueryClient();
  const { data: me } = useQuery(meQuery);
  const [name, setName] = useState(ownName);
  if (me?.mode !== 'local' || !me.permissions.includes('approve_call')) return null;
  const save = () => {
    if (name.trim() === ownName()) return;
    setOwnName(name.trim());
    void client.invalidateQueries({ queryKey: keys.me });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  return (
    <Panel title="You">
      <Box component="form" onSubmit={submit}>
        <TextField
          label="Your name"
          size="small"
          value={name}
          helperText="Stands beside what you do, in place of api-client."
          slotProps={{ htmlInput: { maxLength: MAX_NAME } }}
          onChange={({ target }) => setName(target.value)}
          onBlur={save}
        />
      </Box>
    </Panel>
  );
}
