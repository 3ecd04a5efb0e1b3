import { Table, TableBody, TableCell, TableContainer, TableHead, TableRow } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { plural } from '../../lib/text/format';
import { EmptyState } from '../../ui/notices/EmptyState';
import { LoadState } from '../../ui/notices/LoadState';
import { Panel } from '../../ui/layout/Panel';
import { KeyIcon } from '../../ui/theme/icons';
import { tokensQuery } from './queries';
import { TokenRow } from './TokenRow';
import { columns, visibleFrom } from './columns';
import { RevokedNotice, useRevocation } from './revocation';
import type { ApiToken } from '../../api/tokens';

const RevokeDialog = lazy(async () => ({
  default: (await import('./RevokeDialog')).RevokeDialog,
}));

/** Element id of the list, which takes the focus when the button of a revoked token is gone. */
const LIST_ID = 'token-list';

export function TokenList() {
  const query = useQuery(tokensQuery);
  const revocation = useRevocation(() => document.getElementById(LIST_ID)?.focus());
  const tokens = query.data?.tokens;
  return (
    <Panel id={LIST_ID} title={tokens ? plural(tokens.length, 'token') : 'Tokens'} testId="tokens">
      <LoadState query={query} noun="API tokens" heightPx={96} />
      {tokens?.length === 0 && (
        <EmptyState icon={<KeyIcon />} title="No API tokens" testId="no-tokens">
          Create a separate token for each source and script, so you can revoke them individually.
        </EmptyState>
      )}
      {tokens && tokens.length > 0 && <TokenTable tokens={tokens} onRevoke={revocation.request} />}
      {revocation.candidate && (
        <Suspense fallback={null}>
          <RevokeDialog revocation={revocation} />
        </Suspense>
      )}
      <RevokedNotice revocation={revocation} />
    </Panel>
  );
}

interface TokenTableProps {
  readonly tokens: readonly ApiToken[];
  readonly onRevoke: (token: ApiToken) => void;
}

function TokenTable({ tokens, onRevoke }: TokenTableProps) {
  return (
    <TableContainer
      role="region"
      aria-label="API tokens"
      tabIndex={0}
      sx={{ mx: -2, width: 'auto' }}
    >
      <Table size="small">
        <TableHead>
          <TableRow>
            {columns.map(({ title, from, align }) => (
              <TableCell key={title} align={align} sx={visibleFrom(from)}>
                {title}
              </TableCell>
            ))}
          </TableRow>
        </TableHead>
        <TableBody>
          {tokens.map((token) => (
            <TokenRow key={token.id} token={token} onRevoke={onRevoke} />
          ))}
        </TableBody>
      </Table>
    </TableContainer>
  );
}
