import { Typography } from '@mui/material';
import type { Me } from '../api/access';

export function UserName({ me }: { readonly me: Me }) {
  const role = me.role ?? 'alert source';
  return (
    <Typography
      component="span"
      variant="body2"
      color="text.secondary"
      noWrap
      title={`${me.name}, ${role}`}
      data-testid="user-name"
      sx={{ maxWidth: { xs: 48, sm: 150, md: 260 } }}
    >
      <span dir="auto">{me.name}</span> · {role}
    </Typography>
  );
}
