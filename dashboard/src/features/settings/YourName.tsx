import { Box } from '@mui/material';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { meQuery } from '../../api/access';
import { keys } from '../../api/keys';
import { ownName, setOwnName } from '../../api/unlock';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';

const MAX_NAME = 60;

/** As the fields of forms look, without the code that they need. */
const fieldStyle = {
  display: 'grid',
  gap: 0.5,
  maxWidth: 320,
  mb: 0.5,
  fontSize: '0.8125rem',
  fontWeight: 600,
  '& input': {
    px: 1.5,
    height: 40,
    font: 'inherit',
    fontSize: '0.875rem',
    fontWeight: 400,
    color: 'text.primary',
    bgcolor: 'background.paper',
    border: 1,
    borderColor: 'text.secondary',
    borderRadius: 1,
  },
} as const;

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
      <form onSubmit={submit}>
        <Box component="label" sx={fieldStyle}>
          Your name
          <input
            value={name}
            maxLength={MAX_NAME}
            autoComplete="name"
            onChange={({ target }) => setName(target.value)}
            onBlur={save}
          />
        </Box>
        <Secondary>Stands beside what you do, in place of api-client.</Secondary>
      </form>
    </Panel>
  );
}
