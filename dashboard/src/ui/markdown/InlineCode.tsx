import { Box } from '@mui/material';

const codeSpan = /`([^`\n]+)`/g;

/** Plain text whose code spans, as in Markdown, are shown as code. Text of models names commands and log lines in them. */
export function InlineCode({ text }: { readonly text: string }) {
  // Every second part is what stood between two backticks.
  return text.split(codeSpan).map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      <Box component="code" key={`${at}:${part}`} sx={styles}>
        {part}
      </Box>
    ),
  );
}

const styles = {
  fontFamily: 'var(--tarsy-mono)',
  fontSize: '0.9em',
  overflowWrap: 'anywhere',
} as const;
