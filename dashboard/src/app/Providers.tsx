import { CssBaseline, ThemeProvider } from '@mui/material';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { BackgroundProvider } from '../lib/browser/background';
import { LiveProvider } from '../live/LiveProvider';
import type { LiveSocket } from '../live/socket';
import { createQueryClient } from './queryClient';
import { theme } from './theme';

interface ProvidersProps {
  readonly children: ReactNode;
  /** These are overridden in tests. */
  readonly client?: QueryClient;
  readonly createSocket?: () => LiveSocket;
  readonly backgroundDelayMs?: number;
}

export function Providers(props: ProvidersProps) {
  const { children, client, createSocket, backgroundDelayMs } = props;
  const [queries] = useState(() => client ?? createQueryClient());
  return (
    <ThemeProvider theme={theme} defaultMode="system" noSsr>
      <CssBaseline enableColorScheme />
      <QueryClientProvider client={queries}>
        <BackgroundProvider delayMs={backgroundDelayMs}>
          <LiveProvider create={createSocket}>{children}</LiveProvider>
        </BackgroundProvider>
      </QueryClientProvider>
    </ThemeProvider>
  );
}
