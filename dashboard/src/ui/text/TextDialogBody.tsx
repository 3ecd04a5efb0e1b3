import { Button, Dialog, DialogActions, DialogContent, DialogTitle } from '@mui/material';
import { useId, type ReactNode } from 'react';
import { download } from '../../lib/browser/download';
import { CopyButton } from './CopyButton';
import { LongText } from './LongText';

export interface TextDialogProps {
  readonly title: string;
  readonly label: string;
  /** Undefined while it is loading; `children` are shown instead. */
  readonly text: string | undefined;
  /** URL of the same text. */
  readonly href: string | undefined;
  /** The name of the Markdown file that it can be saved as. */
  readonly file?: string;
  readonly onClose: () => void;
  readonly children?: ReactNode;
  /** Before the buttons that copy and save. */
  readonly actions?: ReactNode;
  readonly testId?: string;
}

/** A dialog to read, search and copy a long text. */
export default function TextDialogBody(props: TextDialogProps) {
  const { title, label, text, href, file, onClose, children, actions, testId } = props;
  const heading = useId();
  return (
    <Dialog
      open
      onClose={onClose}
      fullWidth
      maxWidth="xl"
      aria-labelledby={heading}
      data-testid={testId}
    >
      <DialogTitle id={heading} sx={{ overflowWrap: 'anywhere' }}>
        {title}
      </DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column' }}>
        {text === undefined ? children : <LongText text={text} label={label} />}
      </DialogContent>
      <DialogActions sx={{ flexWrap: 'wrap' }}>
        {actions}
        {text !== undefined && (
          <>
            <CopyButton text={text} label="Copy full text">
              Copy
            </CopyButton>
            {file !== undefined && (
              <Button onClick={() => download(file, 'text/markdown', text)}>Download</Button>
            )}
            {href !== undefined && (
              <Button component="a" href={href} target="_blank" rel="noopener noreferrer">
                Open in a new tab
              </Button>
            )}
          </>
        )}
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}
