import {
  Box,
  Button,
  Link,
  Table,
  TableBody,
  TableCell,
  TableContainer,
  TableHead,
  TableRow,
} from '@mui/material';
import { Link as RouterLink } from 'react-router';
import type { AuditEntry } from '../../api/auditLog';
import { showBidiControls } from '../../lib/text/bidi';
import { plural, shortId } from '../../lib/text/format';
import { pages, sessionOfApiPath, stepAnchor } from '../../lib/browser/paths';
import type { Tone } from '../../lib/session/status';
import { Badge } from '../../ui/badges/Badge';
import { Secondary } from '../../ui/layout/Secondary';
import { DateTime, RelativeTime } from '../../ui/numbers/times';
import { describeAction, describeDecision, describeOutcome } from './describe';
import type { AuditParams } from './params';

const tones: Readonly<Record<string, Tone>> = {
  allowed: 'success',
  denied: 'error',
  failed: 'warning',
};

const hiddenBelow = (breakpoint: 'sm' | 'md') => ({
  display: { xs: 'none', [breakpoint]: 'table-cell' },
});

interface AuditTableProps {
  readonly entries: readonly AuditEntry[];
  readonly change: (changes: Partial<AuditParams>) => void;
}

export function AuditTable({ entries, change }: AuditTableProps) {
  return (
    <TableContainer
      role="region"
      aria-label="Entries of the audit log"
      tabIndex={0}
      sx={{ mx: -2, width: 'auto' }}
    >
      <Table size="small" sx={{ '& td, & th': { verticalAlign: 'top' } }}>
        <TableHead>
          <TableRow>
            <TableCell sx={{ minWidth: { lg: 205 } }}>Time</TableCell>
            <TableCell sx={{ ...hiddenBelow('sm'), minWidth: { sm: 110, lg: 150 } }}>
              User
            </TableCell>
            <TableCell sx={hiddenBelow('md')}>Address</TableCell>
            <TableCell sx={{ width: '60%' }}>Action</TableCell>
            <TableCell sx={{ ...hiddenBelow('sm'), minWidth: { lg: 150 } }}>Outcome</TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
          {entries.map((entry) => (
            <EntryRow key={entry.id} entry={entry} change={change} />
          ))}
        </TableBody>
      </Table>
    </TableContainer>
  );
}

interface EntryRowProps {
  readonly entry: AuditEntry;
  readonly change: AuditTableProps['change'];
}

function EntryRow({ entry, change }: EntryRowProps) {
  return (
    <TableRow data-testid="audit-entry" data-action={entry.action} data-outcome={entry.outcome}>
      <TableCell sx={{ fontVariantNumeric: 'tabular-nums' }}>
        <RelativeTime at={entry.created_at} updateEveryMs={5000} />
        <Secondary size="small">
          <DateTime at={entry.created_at} />
        </Secondary>
        <Box sx={{ display: { sm: 'none' } }}>
          <Outcome entry={entry} />
        </Box>
      </TableCell>
      <TableCell sx={{ ...hiddenBelow('sm'), overflowWrap: 'anywhere' }}>
        <FilterButton
          text={entry.principal}
          label={`Only entries of ${entry.principal}`}
          onClick={() => change({ who: entry.principal })}
        />
        <Secondary size="small" component="div">
          <Credential credential={entry.credential} />
        </Secondary>
        <Secondary size="small" component="div" sx={{ display: { md: 'none' } }}>
          {entry.client_address}
        </Secondary>
      </TableCell>
      <TableCell sx={hiddenBelow('md')}>{entry.client_address ?? '–'}</TableCell>
      <TableCell sx={{ overflowWrap: 'anywhere' }}>
        <FilterButton
          text={describeDecision(entry) ?? describeAction(entry.action)}
          label={`Only this action: ${describeAction(entry.action)}`}
          onClick={() => change({ action: entry.action })}
        />
        <AuditedObject entry={entry} />
        <Secondary size="small" component="div" sx={{ display: { sm: 'none' } }}>
          {describeSender(entry)}
        </Secondary>
      </TableCell>
      <TableCell sx={hiddenBelow('sm')}>
        <Outcome entry={entry} />
      </TableCell>
    </TableRow>
  );
}

/** For a phone, which has no column of it. */
function describeSender({ principal, client_address: address }: AuditEntry): string {
  const name = showBidiControls(principal);
  return address === null ? `by ${name}` : `by ${name}, ${address}`;
}

function Outcome({ entry }: { readonly entry: AuditEntry }) {
  const { outcome, request_id, status, count } = entry;
  const request = request_id === null ? undefined : `Request ${request_id}`;
  return (
    <>
      <Badge tone={tones[outcome] ?? 'neutral'} tooltip={request}>
        {describeOutcome(outcome)}
      </Badge>{' '}
      <Secondary size="small" component="span">
        {status}
        {count > 1 && `, ${plural(count, 'request')}`}
      </Secondary>
    </>
  );
}

/** How the sender was identified, such as `token:ID`. */
function Credential({ credential }: { readonly credential: string }) {
  const [kind = '', id] = credential.split(':');
  if (kind === 'none') return 'not identified';
  if (kind === 'local_token') return 'local token';
  if (kind !== 'token' || id === undefined) return credential;
  return <span title={id}>API token {shortId(id)}</span>;
}

/** The session by its title, at the step that a decision was about; anything else by its path. */
function AuditedObject({ entry }: { readonly entry: AuditEntry }) {
  const { object: path, session_title: title, decided } = entry;
  const session = entry.session_id ?? (path === null ? null : sessionOfApiPath(path));
  const step = decided?.event_id ? `#${stepAnchor(decided.event_id)}` : '';
  if (session === null && path === null) return null;
  return (
    <Secondary size="small" component="div" sx={title === null ? pathStyle : {}}>
      {session === null ? (
        showBidiControls(path ?? '')
      ) : (
        <Link component={RouterLink} to={`${pages.session(session)}${step}`} color="inherit">
          <bdi>{showBidiControls(title ?? path ?? session)}</bdi>
        </Link>
      )}
    </Secondary>
  );
}

const pathStyle = { fontFamily: 'var(--tarsy-mono)' } as const;

interface FilterButtonProps {
  readonly text: string;
  readonly label: string;
  readonly onClick: () => void;
}

/** A value that, when clicked, becomes a filter. */
function FilterButton({ text, label, onClick }: FilterButtonProps) {
  return (
    <Button
      size="small"
      color="inherit"
      onClick={onClick}
      title={label}
      sx={{ p: 0, minWidth: 0, textAlign: 'left', fontWeight: 600 }}
    >
      <span dir="auto">{showBidiControls(text)}</span>
    </Button>
  );
}
