import { Alert, Box, Button, DialogActions, DialogContent, DialogTitle } from '@mui/material';
import { useEffect, useRef } from 'react';
import type { CreatedToken } from '../../api/tokens';
import { CopyButton } from '../../ui/text/CopyButton';
import { DescriptionList } from '../../ui/layout/DescriptionList';
import { monospaceBlock } from '../../ui/theme/tokens';
import { DateTime } from '../../ui/numbers/times';
import { grantText } from './grants';

interface CreatedTokenViewProps {
  readonly token: CreatedToken;
  /** Element id of the dialog's title. */
  readonly heading: string;
  readonly onClose: () => void;
}

/** The text of a new token, which is shown once. */
export function CreatedTokenView({ token, heading, onClose }: CreatedTokenViewProps) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  return (
    <>
      <DialogTitle id={heading} ref={title} tabIndex={-1} sx={{ outline: 'none' }}>
        Token {token.name} created
      </DialogTitle>
      <DialogContent sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}>
        <Alert severity="warning" role="status">
          Copy the token now. TARSy stores only a hash of it and cannot show it again.
        </Alert>
        <Box
          role="group"
          aria-label="Token"
          data-testid="token-text"
          sx={{ ...monospaceBlock(true), userSelect: 'all', overflowWrap: 'anywhere' }}
        >
          {token.token}
        </Box>
        <DescriptionList
          items={[
            { term: 'Grants', value: grantText(token) },
            { term: 'Expires', value: <DateTime at={token.expires_at} /> },
            { term: 'Use', value: 'Authorization: Bearer TOKEN', mono: true },
          ]}
        />
      </DialogContent>
      <DialogActions>
        <CopyButton text={token.token} label="Copy token">
          Copy token
        </CopyButton>
        <Button variant="contained" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </>
  );
}
