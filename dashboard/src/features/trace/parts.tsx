/** Components shared by the details of LLM calls and tool calls. */
import { Box, Button, Skeleton, Typography } from '@mui/material';
import { useState, type ReactNode } from 'react';
import { curlGet } from '../../lib/text/curl';
import { CodeBlock } from '../../ui/text/CodeBlock';
import { CopyButton } from '../../ui/text/CopyButton';
import { Disclosure } from '../../ui/layout/Disclosure';
import { ErrorState } from '../../ui/notices/ErrorState';
import { TextDialog } from '../../ui/text/TextDialog';

interface PendingProps {
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** Shown until the details are loaded. */
export function Pending({ error, onRetry }: PendingProps) {
  if (!error) {
    return (
      <Box role="status" aria-label="Loading call">
        <Skeleton variant="rounded" height={96} />
      </Box>
    );
  }
  return <ErrorState title="Could not load call" error={error} onRetry={onRetry} />;
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
  /** URL of the text. */
  readonly href?: string;
}

/** Longer texts, in characters, open in a dialog. */
const MAX_INLINE_LENGTH = 20_000;
const EXCERPT_LENGTH = 2000;

/** A text with a heading. A large text is cut and opens in a dialog. */
export function TextPart({ title, text, label, wrap, href }: TextPartProps) {
  const [open, setOpen] = useState(false);
  const large = text.length > MAX_INLINE_LENGTH;
  return (
    <>
      <Heading>{large ? `${title} (truncated)` : title}</Heading>
      <CodeBlock
        text={large ? text.slice(0, EXCERPT_LENGTH) : text}
        whole={text}
        label={label}
        lines={16}
        open={large}
        wrap={wrap}
      />
      {large && (
        <Button size="small" onClick={() => setOpen(true)} data-testid="open-text">
          View full text
        </Button>
      )}
      {open && (
        <TextDialog
          title={label}
          label={label}
          text={text}
          href={href}
          onClose={() => setOpen(false)}
          testId="full-text"
        />
      )}
    </>
  );
}

interface CollapsedProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly testId?: string;
}

export function Collapsed({ title, children, testId }: CollapsedProps) {
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

interface CopyAsCurlProps {
  /** Path of the API. */
  readonly path: string;
  readonly label: string;
}

/** Copies a command that reads the record of a call. */
export function CopyAsCurl({ path, label }: CopyAsCurlProps) {
  return (
    <CopyButton text={curlGet(`${window.location.origin}${path}`)} label={`Copy as curl: ${label}`}>
      Copy as curl
    </CopyButton>
  );
}
