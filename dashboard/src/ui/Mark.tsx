import { Box } from '@mui/material';
import type { ReactNode } from 'react';
import type { Tone } from '../lib/status';
import { toneColors } from './tones';

interface MarkProps {
  readonly tone: Tone;
  readonly children: ReactNode;
  /** What it means, for those who wonder. */
  readonly hint?: string;
  readonly testId?: string;
}

/** A small coloured word beside a title. */
export function Mark({ tone, children, hint, testId }: MarkProps) {
  return (
    <Box
      component="span"
      title={hint}
      data-testid={testId}
      sx={{
        ...toneColors(tone),
        display: 'inline-flex',
        alignItems: 'center',
        gap: 0.5,
        px: 0.875,
        py: 0.125,
        borderRadius: 99,
        fontSize: '0.75rem',
        fontWeight: 600,
        lineHeight: 1.5,
        whiteSpace: 'nowrap',
        '& svg': { fontSize: '1.15em' },
      }}
    >
      {children}
    </Box>
  );
}
