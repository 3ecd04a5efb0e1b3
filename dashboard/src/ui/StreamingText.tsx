import { Box } from '@mui/material';
import { CitedText } from './citations';

interface StreamingTextProps {
  readonly text: string;
  readonly testId?: string;
}

/** Text while it is being written: cheap to grow, with a caret at its end. */
export function StreamingText({ text, testId }: StreamingTextProps) {
  return (
    <Box data-testid={testId} sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
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
