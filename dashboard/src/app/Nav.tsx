import { Box, Button } from '@mui/material';
import { NavLink, Link as RouterLink } from 'react-router';
import { useMay } from '../api/access';
import { pages } from '../lib/paths';

const links = [
  { to: pages.sessions, title: 'Sessions' },
  { to: pages.submit, title: 'Submit' },
  { to: pages.system, title: 'System' },
];

export function Brand() {
  return (
    <Box
      component={RouterLink}
      to={pages.sessions}
      aria-label="TARSy, all sessions"
      sx={{
        display: 'flex',
        alignItems: 'center',
        gap: 1,
        color: 'text.primary',
        textDecoration: 'none',
        fontWeight: 750,
        fontSize: '1.0625rem',
        letterSpacing: '-0.02em',
      }}
    >
      <Box component="img" src="/favicon.svg" alt="" sx={{ width: 26, height: 26 }} />
      <Box component="span" sx={{ display: { xs: 'none', sm: 'inline' } }}>
        TARSy
      </Box>
    </Box>
  );
}

export function Nav() {
  const maySubmit = useMay('submit_alert');
  const shown = links.filter(({ to }) => to !== pages.submit || maySubmit);
  return (
    <Box component="nav" aria-label="Main" sx={{ display: 'flex', gap: { xs: 0, sm: 0.5 } }}>
      {shown.map(({ to, title }) => (
        <Button
          key={to}
          component={NavLink}
          to={to}
          end
          color="inherit"
          size="small"
          sx={{
            minWidth: 0,
            px: { xs: 0.75, sm: 1.5 },
            color: 'text.secondary',
            '&.active': { color: 'primary.main', bgcolor: 'action.selected' },
          }}
        >
          {title}
        </Button>
      ))}
    </Box>
  );
}
