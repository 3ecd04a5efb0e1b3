import { Box } from '@mui/material';
import type { ReactNode } from 'react';
import { showBidiControls } from '../../lib/text/bidi';
import type { Tone } from '../../lib/session/status';
import { shownText } from '../text/shownText';
import { toneColors } from './tones';

interface BadgeProps {
  readonly tone: Tone;
  readonly children: ReactNode;
  /** Explanation shown on hover. */
  readonly tooltip?: string;
  readonly testId?: string;
}

/** A small colored label beside a title. */
export function Badge({ tone, children, tooltip, testId }: BadgeProps) {
  return (
    <Box
      component="span"
      title={tooltip && showBidiControls(tooltip)}
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
      {shownText(children)}
    </Box>
  );
}
