import { Box } from '@mui/material';
import type { ReactNode } from 'react';
import type { Tone } from '../../lib/status';
import { toneColors } from '../../ui/tones';

interface NoticeProps {
  readonly tone: Tone;
  readonly children: ReactNode;
}

/** A coloured remark within a timeline item. */
export function Notice({ tone, children }: NoticeProps) {
  return (
    <Box
      role="note"
      sx={{
        ...toneColors(tone),
        borderRadius: 1,
        px: 1.25,
        py: 0.75,
        whiteSpace: 'pre-wrap',
        overflowWrap: 'anywhere',
        fontSize: '0.8125rem',
      }}
    >
      {children}
    </Box>
  );
}
