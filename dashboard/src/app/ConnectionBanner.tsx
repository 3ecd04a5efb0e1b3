import { Box } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { healthQuery } from '../features/system/queries';
import { isWell } from '../features/system/useHealing';
import { useLiveStatus, useLongAway } from '../live/LiveProvider';
import { Banner } from '../ui/Banner';
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
        <Banner
          tone="warning"
          icon={<AlertIcon />}
          testId={away ? 'disconnected-banner' : 'degraded-banner'}
        >
          <strong>{words}</strong>
        </Banner>
      )}
    </Box>
  );
}
