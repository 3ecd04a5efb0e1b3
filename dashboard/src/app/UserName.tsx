import { Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../api/access';

/** The signed-in user and role. Hidden in mode `local`, where nobody signs in. */
export function UserName() {
  const { data } = useQuery(meQuery);
  if (data === undefined || data.mode === 'local') return null;
  const role = data.role ?? 'alert source';
  return (
    <Typography
      variant="body2"
      color="text.secondary"
      noWrap
      title={`${data.name}, ${role}`}
      data-testid="user-name"
      sx={{ maxWidth: { xs: 90, sm: 260 } }}
    >
      <span dir="auto">{data.name}</span> · {role}
    </Typography>
  );
}
