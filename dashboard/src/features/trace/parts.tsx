/** Pieces that the details of both kinds of calls share. */
import { Box, Button, Skeleton, Typography } from '@mui/material';
import { useState, type ReactNode } from 'react';
import { asApiError } from '../../api/errors';
import { CodeBlock } from '../../ui/CodeBlock';
import { Disclosure } from '../../ui/Disclosure';
import { ErrorState } from '../../ui/ErrorState';
import { TextDialog } from '../../ui/TextDialog';

interface PendingProps {
  readonly error: unknown;
  readonly retry: () => void;
}

/** What stands there until the details are. */
export function Pending({ error, retry }: PendingProps) {
  if (!error) {
    return (
      <Box role="status" aria-label="Loading the call">
        <Skeleton variant="rounded" height={96} />
      </Box>
    );
  }
  return (
    <ErrorState
      title="The call could not be loaded"
      message={asApiError(error).message}
      onRetry={retry}
    />
  );
}

export function Heading({ children }: { readonly children: ReactNode }) {
  return (
    <Typography
      component="p"
      sx={{ fontSize: '0.75rem', fontWeight: 600, color: 'text.secondary', mt: 1, mb: 0.5 }}
    >
      {children}
    </Typography>
  );
}

interface TextPartProps {
  readonly title: string;
  readonly text: string;
  readonly label: string;
  readonly wrap?: boolean;
  /** Where it is on its own. */
  readonly href?: string;
}

/** So much text is not read in a small frame. */
const LARGE = 20_000;

/** A text under its heading; a large one shows its beginning and opens in a window of its own. */
export function TextPart({ title, text, label, wrap, href }: TextPartProps) {
  const [open, setOpen] = useState(false);
  const large = text.length > LARGE;
  return (
    <>
      <Heading>{large ? `Beginning of: ${title.toLowerCase()}` : title}</Heading>
      <CodeBlock
        text={large ? text.slice(0, 2000) : text}
        label={label}
        lines={16}
        open={large}
        wrap={wrap}
      />
      {large && (
        <Button size="small" onClick={() => setOpen(true)} data-testid="open-text">
          Open all of it
        </Button>
      )}
      {open && (
        <TextDialog
          title={label}
          label={label}
          text={text}
          href={href}
          onClose={() => setOpen(false)}
          testId="whole-text"
        />
      )}
    </>
  );
}

interface FoldedProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly testId?: string;
}

export function Folded({ title, children, testId }: FoldedProps) {
  return (
    <Disclosure
      testId={testId}
      summary={
        <Box component="span" sx={{ fontSize: '0.8125rem', fontWeight: 600 }}>
          {title}
        </Box>
      }
    >
      {children}
    </Disclosure>
  );
}
