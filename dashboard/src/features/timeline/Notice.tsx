import { Box } from '@mui/material';
import type { Tone } from '../../lib/status';
import { CitedText } from '../../ui/citations';
import { toneColors } from '../../ui/tones';

interface NoticeProps {
  readonly tone: Tone;
  readonly children: string;
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
      <CitedText text={children} />
    </Box>
  );
}
