import { Box } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { healthQuery } from '../features/system/queries';
import { useLiveStatus, useLongAway } from '../live/LiveProvider';
import { toneColors } from '../ui/tones';
import { AlertIcon } from '../ui/icons';

/** Says when what is on the page may be late: the socket is away, or TARSy itself is not well. */
export function ConnectionBanner() {
  const status = useLiveStatus();
  const away = useLongAway();
  const { data: health } = useQuery(healthQuery);
  const unwell = status === 'degraded' || (health !== undefined && !isWell(health.status));
  const words = away
    ? 'Live updates are paused, reconnecting…'
    : unwell
      ? 'TARSy is degraded: updates may be late, nothing is lost.'
      : '';
  return (
    <Box role="status" aria-live="polite">
      {words !== '' && (
        <Box
          data-testid={away ? 'disconnected-banner' : 'degraded-banner'}
          sx={{
            ...toneColors('warning'),
            display: 'flex',
            alignItems: 'center',
            gap: 1,
            px: { xs: 1.5, sm: 3 },
            py: 0.75,
            fontSize: '0.8125rem',
            fontWeight: 600,
          }}
        >
          <AlertIcon sx={{ fontSize: 18 }} />
          {words}
        </Box>
      )}
    </Box>
  );
}

function isWell(status: string): boolean {
  return ['healthy', 'ok', 'up', 'pass'].includes(status.toLowerCase());
}
