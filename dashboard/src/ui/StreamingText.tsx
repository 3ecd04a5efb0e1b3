import { Box } from '@mui/material';
import { CitedText } from './citations';
import { preWrap } from './tokens';

interface StreamingTextProps {
  readonly text: string;
  readonly testId?: string;
}

/** Streaming text with a caret. Plain text, because rendering Markdown for each chunk is expensive. */
export function StreamingText({ text, testId }: StreamingTextProps) {
  return (
    <Box dir="auto" data-testid={testId} sx={preWrap}>
      <CitedText text={text} />
      <Box
        component="span"
        aria-hidden
        sx={{
          display: 'inline-block',
          width: '0.5em',
          height: '1em',
          ml: 0.25,
          verticalAlign: '-0.12em',
          bgcolor: 'primary.main',
          animation: 'tarsy-blink 1s steps(2) infinite',
        }}
      />
    </Box>
  );
}
