import { Box, Link } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link as RouterLink } from 'react-router';
import { readInjected, type Injected } from '../../api/actions';
import type { WaitingCall } from '../../api/approvals';
import { alertTitle } from '../../lib/session/alert';
import { showBidiControls } from '../../lib/text/bidi';
import { pages } from '../../lib/browser/paths';
import { AlertFacts } from '../../ui/findings/AlertFacts';
import { EmptyState } from '../../ui/notices/EmptyState';
import { InboxIcon } from '../../ui/theme/icons';
import { Column } from '../../ui/layout/layout';
import { LoadState } from '../../ui/notices/LoadState';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { InjectionWarning, type InjectedLine } from './InjectionWarning';
import { approvalsQuery } from './queries';
import { Request } from './Request';

/** The calls of all sessions that wait, the oldest first. */
export function Inbox() {
  const query = useQuery(approvalsQuery);
  const [decided, setDecided] = useState('');
  const status = useRef<HTMLDivElement>(null);
  const calls = query.data?.approvals ?? [];
  return (
    <Column>
      <Box ref={status} role="status" tabIndex={-1} data-testid="decided">
        {decided !== '' && <Secondary>{showBidiControls(decided)}</Secondary>}
      </Box>
      <LoadState query={query} noun="the approvals" heightPx={160} />
      {query.data && calls.length === 0 && (
        <EmptyState icon={<InboxIcon />} title="Nothing to approve" testId="no-approvals">
          Tool calls that change things wait here until somebody decides.
        </EmptyState>
      )}
      {calls.map((call) => (
        <InboxEntry
          key={call.id}
          call={call}
          onDecided={(text) => {
            setDecided(text);
            status.current?.focus();
          }}
        />
      ))}
    </Column>
  );
}

interface InboxEntryProps {
  readonly call: WaitingCall;
  readonly onDecided: (text: string) => void;
}

function InboxEntry({ call, onDecided }: InboxEntryProps) {
  const tool = `${call.server_name}.${call.tool_name}`;
  const title = alertTitle(call);
  const injected = readInjected(call.injected);
  return (
    <Panel
      testId="waiting-call"
      title={
        <Link component={RouterLink} to={pages.session(call.session_id)} color="text.primary">
          <bdi>{showBidiControls(title)}</bdi>
        </Link>
      }
    >
      <Box sx={{ mb: 0.75, overflowWrap: 'anywhere' }}>
        <AlertFacts alert={call} />
      </Box>
      <Request
        call={{
          session: call.session_id,
          id: call.id,
          tool,
          arguments: call.arguments,
          reason: call.reason,
          action: call.action,
          dryRun: call.dry_run,
          expiresAt: call.expires_at,
        }}
        warning={injected && <InjectionWarning injected={[lineOf(call, injected)]} />}
        onDecided={(decision) =>
          onDecided(`${decision === 'approve' ? 'Approved' : 'Denied'}: ${tool}, ${title}`)
        }
      />
    </Panel>
  );
}

function lineOf(waiting: WaitingCall, { call, text }: Injected): InjectedLine {
  const page = pages.session(waiting.session_id);
  return call === null
    ? { source: 'the alert', text, to: page }
    : { source: `call ${call}`, text, to: `${page}#call-${call}` };
}
