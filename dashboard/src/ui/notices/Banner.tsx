import { Box } from '@mui/material';
import type { ReactNode } from 'react';
import type { Tone } from '../../lib/session/status';
import { toneColors } from '../badges/tones';

interface BannerProps {
  readonly tone: Tone;
  readonly children: ReactNode;
  readonly icon?: ReactNode;
  readonly action?: ReactNode;
  readonly testId: string;
}

/** A full-width colored line for messages that concern every page. */
export function Banner({ tone, children, icon, action, testId }: BannerProps) {
  return (
    <Box
      data-testid={testId}
      sx={{
        ...toneColors(tone),
        display: 'flex',
        flexWrap: { xs: icon === undefined ? 'wrap' : 'nowrap', sm: 'nowrap' },
        alignItems: 'center',
        columnGap: 1,
        px: { xs: 1.5, sm: 3 },
        py: 0.5,
        minHeight: 32,
        fontSize: '0.8125rem',
        '& > svg': { fontSize: 18, flexShrink: 0 },
        '& > button': { flexShrink: 0 },
      }}
    >
      {icon}
      <Box component="span" sx={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        {children}
      </Box>
      {action}
    </Box>
  );
}
