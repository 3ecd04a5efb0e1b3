import { Box, Link } from '@mui/material';
import type { ReactNode } from 'react';
import { Link as RouterLink } from 'react-router';
import type { Prevention } from '../../api/prevention';
import { showBidiControls } from '../../lib/text/bidi';
import { pages, type Period } from '../../lib/browser/paths';
import { LinkedNumber } from '../../ui/numbers/LinkedNumber';
import { NumberTable } from '../../ui/numbers/NumberTable';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { DateTime } from '../../ui/numbers/times';
import { visuallyHidden } from '../../ui/theme/tokens';
import { describeObject, share, words } from './describe';
import { receivedFrom, sessionsWith } from './links';

interface PartProps {
  readonly found: Prevention;
}

export function PreventionTables({ found }: PartProps) {
  return (
    <>
      <Part title="Recurring causes" testId="recurring-causes" none="No recurring causes.">
        {found.causes.length > 0 && <Causes found={found} />}
      </Part>
      <Part
        title="Alerts without a fault"
        testId="needless-alerts"
        none="No repeated alerts without a fault."
      >
        {found.alerts.length > 0 && <Alerts found={found} />}
      </Part>
      <Part title="Failing tools" testId="unreliable-tools" none="No call failed.">
        {found.tools.length > 0 && <Tools found={found} />}
      </Part>
      <Part
        title="Sources that are not understood"
        testId="unread-sources"
        none="All requests were understood."
      >
        {found.sources.length > 0 && <Sources found={found} />}
      </Part>
    </>
  );
}

interface PanelPartProps {
  readonly title: string;
  readonly testId: string;
  /** Shown without rows. */
  readonly none: string;
  readonly children: ReactNode;
}

function Part({ title, testId, none, children }: PanelPartProps) {
  return (
    <Panel title={title} testId={testId}>
      {children || <Secondary>{none}</Secondary>}
    </Panel>
  );
}

const periodOf = ({ from, to }: Prevention): Period => ({ from, to });

interface LastProps {
  readonly session: string;
  readonly at: string;
  readonly of: string;
}

function Last({ session, at, of }: LastProps) {
  return (
    <Link component={RouterLink} to={pages.session(session)}>
      <DateTime at={at} />
      <Box component="span" sx={visuallyHidden}>{`, last session of ${of}`}</Box>
    </Link>
  );
}

function Causes({ found }: PartProps) {
  return (
    <NumberTable
      label="Recurring causes"
      columns={['Cause', 'Sessions', 'Week before', 'Reviewed', 'Actions that worked', 'Last']}
      rows={found.causes.map((one) => {
        const object = showBidiControls(describeObject(one));
        const name = `${words(one.category)}${object === '' ? '' : `: ${object}`}`;
        return {
          key: `${one.category} ${one.object} ${one.namespace ?? ''}`,
          cells: [
            <Named key="cause" name={name} detail={one.cause} />,
            <LinkedNumber
              key="sessions"
              value={one.sessions}
              to={
                one.object === ''
                  ? pages.session(one.last_session_id)
                  : sessionsWith(one.object, periodOf(found))
              }
              label={`sessions of ${name}`}
            />,
            one.sessions_before,
            one.reviewed,
            one.actions === 0 ? '–' : `${one.actions_worked} of ${one.actions}`,
            <Last key="last" session={one.last_session_id} at={one.last_at} of={name} />,
          ],
        };
      })}
    />
  );
}

interface NamedProps {
  readonly name: string;
  /** Of others, as the name may be. */
  readonly detail: string;
}

function Named({ name, detail }: NamedProps) {
  return (
    <>
      <bdi>{name}</bdi>
      {detail !== '' && (
        <Secondary>
          <bdi>{showBidiControls(detail)}</bdi>
        </Secondary>
      )}
    </>
  );
}

function Alerts({ found }: PartProps) {
  return (
    <NumberTable
      label="Alerts without a fault"
      columns={['Alert', 'Sessions', 'Week before', 'Reviewed', 'Last']}
      rows={found.alerts.map((one) => {
        const title = one.title ?? one.fingerprint ?? one.alert_type ?? '';
        const name = showBidiControls(title);
        return {
          key: one.fingerprint ?? `${one.alert_type ?? ''} ${title}`,
          cells: [
            <Named key="alert" name={name} detail={one.alert_type ?? ''} />,
            <LinkedNumber
              key="sessions"
              value={one.sessions}
              to={
                one.fingerprint === null
                  ? sessionsWith(title, periodOf(found))
                  : pages.sessionsOf(one.fingerprint)
              }
              label={`sessions of ${name}`}
            />,
            one.sessions_before,
            one.reviewed,
            <Last key="last" session={one.last_session_id} at={one.last_at} of={name} />,
          ],
        };
      })}
    />
  );
}

function Tools({ found }: PartProps) {
  return (
    <NumberTable
      label="Failing tools"
      columns={['Tool', 'Failed', 'Calls', 'Share', 'Week before', 'Last error']}
      rows={found.tools.map((one) => {
        const name = showBidiControls(`${one.server}.${one.tool}`);
        return {
          key: `${one.server} ${one.tool}`,
          cells: [
            <Named key="tool" name={name} detail={one.last_error ?? ''} />,
            <LinkedNumber
              key="failed"
              value={one.failed}
              to={pages.failedCallsOf(one.server, one.tool, periodOf(found))}
              label={`failed calls of ${name}`}
            />,
            one.calls,
            share(one.failed, one.calls),
            share(one.failed_before, one.calls_before),
            one.last_session_id === null || one.last_error_kind === null ? (
              '–'
            ) : (
              <Link
                key="last"
                component={RouterLink}
                to={pages.session(one.last_session_id)}
                aria-label={`${words(one.last_error_kind)}: last session with a failed call of ${name}`}
              >
                {words(one.last_error_kind)}
              </Link>
            ),
          ],
        };
      })}
    />
  );
}

function Sources({ found }: PartProps) {
  return (
    <NumberTable
      label="Sources that are not understood"
      columns={['Source', 'Not understood', 'Week before', 'Refused', 'Before', 'Why', 'Last']}
      rows={found.sources.map((one) => {
        const name = one.source === '' ? 'Many senders' : showBidiControls(one.source);
        return {
          key: one.source,
          cells: [
            <bdi key="source">{name}</bdi>,
            <LinkedNumber
              key="unread"
              value={one.not_understood}
              to={receivedFrom(one.source)}
              label={`requests of ${name} that were not understood`}
            />,
            one.not_understood_before,
            one.refused,
            one.refused_before,
            one.refusal_reasons.map(words).join(', ') || '–',
            <DateTime key="last" at={one.last_at} />,
          ],
        };
      })}
    />
  );
}
