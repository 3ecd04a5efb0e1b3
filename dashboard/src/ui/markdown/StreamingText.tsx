import { Box } from '@mui/material';
import { CitedText } from './citations';
import { caret, preWrap } from '../theme/tokens';

interface StreamingTextProps {
  readonly text: string;
  readonly testId?: string | undefined;
}

/** Streaming plain text with a caret. */
export function StreamingText({ text, testId }: StreamingTextProps) {
  return (
    <Box dir="auto" data-testid={testId} sx={{ ...preWrap, '&::after': caret }}>
      <CitedText text={text} />
    </Box>
  );
}
