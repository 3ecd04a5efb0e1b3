import { CssBaseline, ThemeProvider } from '@mui/material';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { LiveProvider } from '../live/LiveProvider';
import type { LiveSocket } from '../live/socket';
import { createQueryClient } from './queryClient';
import { theme } from './theme';

interface ProvidersProps {
  readonly children: ReactNode;
  /** Both are overridden in tests. */
  readonly client?: QueryClient;
  readonly createSocket?: () => LiveSocket;
}

export function Providers({ children, client, createSocket }: ProvidersProps) {
  const [queries] = useState(() => client ?? createQueryClient());
  return (
    <ThemeProvider theme={theme} defaultMode="system" noSsr>
      <CssBaseline enableColorScheme />
      <QueryClientProvider client={queries}>
        <LiveProvider create={createSocket}>{children}</LiveProvider>
      </QueryClientProvider>
    </ThemeProvider>
  );
}
