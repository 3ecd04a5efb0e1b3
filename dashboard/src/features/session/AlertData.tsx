import { Box, Link } from '@mui/material';
import { lazy, memo, Suspense } from 'react';
import type { SessionDetail } from '../../api/sessions';
import { showBidiControls } from '../../lib/text/bidi';
import { prettyJson } from '../../lib/text/format';
import { CopyButton } from '../../ui/text/CopyButton';
import { DescriptionList, type DescriptionItem } from '../../ui/layout/DescriptionList';
import { Disclosure } from '../../ui/layout/Disclosure';
import { Panel } from '../../ui/layout/Panel';
import { DateTime, RelativeTime } from '../../ui/numbers/times';
import { plainList } from '../../ui/theme/tokens';
import { alertAsCurl } from './alertRequest';
import { alertDescription } from './alertText';

const CodeBlock = lazy(async () => ({
  default: (await import('../../ui/text/CodeBlock')).CodeBlock,
}));

interface AlertDataProps {
  readonly session: SessionDetail;
  /** When sources saw the alert; null of one that was submitted by hand. `first` is null while it is not known. */
  readonly seen: {
    readonly first: string | null;
    readonly last: string;
    /** Whether it still fires, in a word. */
    readonly state: string;
  } | null;
}

/** What the alert says, as labelled facts; its data on demand. */
export const AlertData = memo(function AlertData({ session, seen }: AlertDataProps) {
  return (
    <Panel
      title="Alert"
      testId="alert-data"
      actions={
        <>
          <CopyButton
            text={alertAsCurl(session, window.location.origin)}
            label="Copy as curl: the alert"
          >
            Copy as curl
          </CopyButton>
          <CopyButton text={session.alert_data} label="Copy alert" />
        </>
      }
    >
      <DescriptionList items={[...facts(session), ...times(session, seen)]} />
      <Disclosure
        summary={
          <Box
            component="span"
            sx={{ color: 'text.secondary', fontSize: '0.8125rem', overflowWrap: 'anywhere' }}
          >
            {session.alert_data === '' ? 'No data' : 'As received'}
          </Box>
        }
      >
        <Suspense fallback={null}>
          <CodeBlock text={prettyJson(session.alert_data)} label="Alert data" lines={40} wrap />
        </Suspense>
      </Disclosure>
    </Panel>
  );
});

function facts(session: SessionDetail): readonly DescriptionItem[] {
  const stated: readonly (readonly [string, string | null])[] = [
    ['Description', alertDescription(session.alert_data)],
    ['Severity', session.severity],
    ['Service', session.service],
    ['Namespace', session.namespace],
    ['Cluster', session.cluster],
    ['Source', session.author],
  ];
  return [
    ...stated.flatMap(([term, value]) =>
      value === null || value === '' ? [] : [{ term, value: <bdi>{showBidiControls(value)}</bdi> }],
    ),
    ...labels(session),
    ...runbook(session.runbook_url),
  ];
}

function times(session: SessionDetail, seen: AlertDataProps['seen']): readonly DescriptionItem[] {
  if (seen === null) return [moment('Received', session.created_at)];
  const last = moment('Last seen', seen.last);
  const state = { term: 'Status', value: seen.state };
  return seen.first === null ? [state, last] : [state, moment('First seen', seen.first), last];
}

function moment(term: string, at: string): DescriptionItem {
  const value = (
    <>
      <RelativeTime at={at} updateEveryMs={30_000} /> (<DateTime at={at} />)
    </>
  );
  return { term, value };
}

/** Without those that are facts of their own. */
function labels(session: SessionDetail): readonly DescriptionItem[] {
  const { severity, service, namespace, cluster } = session;
  const stated = { severity, service, namespace, cluster };
  const entries = Object.entries(session.labels).filter(
    ([name, text]) => new Map(Object.entries(stated)).get(name) !== text,
  );
  if (entries.length === 0) return [];
  const value = (
    <Box component="ul" sx={plainList}>
      {entries.map(([name, text]) => (
        <li key={name}>
          <bdi>{showBidiControls(`${name}=${text}`)}</bdi>
        </li>
      ))}
    </Box>
  );
  return [{ term: 'Labels', value, mono: true }];
}

function runbook(url: string | null): readonly DescriptionItem[] {
  if (url === null || url === '') return [];
  const safe = /^https?:\/\//i.test(url);
  const value = safe ? (
    <Link href={url} target="_blank" rel="noopener noreferrer">
      {url}
    </Link>
  ) : (
    url
  );
  return [{ term: 'Runbook', value }];
}
