import { Box } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { isSignedOut, onSignInChange } from '../api/signIn';
import { healthQuery } from '../features/system/queries';
import { isHealthy } from '../features/system/useRefetchOnRecovery';
import { useBackground } from '../lib/browser/background';
import { useDisconnected, useLiveStatus } from '../live/LiveProvider';
import { Banner } from '../ui/notices/Banner';
import { AlertIcon } from '../ui/theme/icons';

/** Shown while updates may be delayed: the WebSocket is disconnected, or TARSy is unhealthy; not while nobody is signed in. */
export function ConnectionBanner() {
  const status = useLiveStatus();
  const disconnected = useDisconnected();
  const { data: health } = useQuery({ ...healthQuery, enabled: useBackground() });
  const signedOut = useSyncExternalStore(onSignInChange, isSignedOut);
  const degraded = status === 'degraded' || (health !== undefined && !isHealthy(health.status));
  return (
    <Box role="status" aria-live="polite">
      {(disconnected || degraded) && !signedOut && (
        <Banner
          tone="warning"
          icon={<AlertIcon />}
          testId={disconnected ? 'disconnected-banner' : 'degraded-banner'}
        >
          <strong>
            {disconnected
              ? 'Live updates are disconnected. Reconnecting…'
              : 'TARSy is degraded. Updates may be delayed; no data is lost.'}
          </strong>
        </Banner>
      )}
    </Box>
  );
}
