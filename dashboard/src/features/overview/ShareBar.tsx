import { Box } from '@mui/material';
import type { ReactNode } from 'react';

interface ShareBarProps {
  /** From 0 to 1. */
  readonly share: number;
  readonly children: ReactNode;
}

/** A text with a bar below it; the number is in another cell. */
export function ShareBar({ share, children }: ShareBarProps) {
  return (
    <>
      {children}
      <Box aria-hidden sx={{ mt: 0.5, height: 6, bgcolor: 'var(--tarsy-neutral-bg)' }}>
        <Box
          sx={{ height: '100%', bgcolor: 'var(--tarsy-neutral-fg)' }}
          style={{ width: `${Math.round(share * 100)}%` }}
        />
      </Box>
    </>
  );
}
