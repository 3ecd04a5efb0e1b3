import { Box } from '@mui/material';
import type { Tone } from '../../lib/session/status';
import { CitedText } from '../../ui/markdown/citations';
import { preWrap } from '../../ui/theme/tokens';
import { toneColors } from '../../ui/badges/tones';

interface NoticeProps {
  readonly tone: Tone;
  readonly children: string;
}

/** A colored note inside a timeline item. */
export function Notice({ tone, children }: NoticeProps) {
  return (
    <Box
      role="note"
      dir="auto"
      sx={{
        ...toneColors(tone),
        borderRadius: 1,
        px: 1.25,
        py: 0.75,
        ...preWrap,
        fontSize: '0.8125rem',
      }}
    >
      <CitedText text={children} />
    </Box>
  );
}
