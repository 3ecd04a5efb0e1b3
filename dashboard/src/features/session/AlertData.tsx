import { Box } from '@mui/material';
import { lazy, memo, Suspense } from 'react';
import type { SessionDetail } from '../../api/sessions';
import { showBidiControls } from '../../lib/bidi';
import { firstLine, inlineValue, prettyJson } from '../../lib/format';
import { CopyButton } from '../../ui/CopyButton';
import { DescriptionList, type DescriptionItem } from '../../ui/DescriptionList';
import { Disclosure } from '../../ui/Disclosure';
import { Panel } from '../../ui/Panel';
import { DateTime, RelativeTime } from '../../ui/times';
import { alertAsCurl } from './alertRequest';
import { alertDescription } from './alertText';

const CodeBlock = lazy(async () => ({ default: (await import('../../ui/CodeBlock')).CodeBlock }));

/** What the alert says, as labelled facts; its data on demand. */
export const AlertData = memo(function AlertData({ session }: { readonly session: SessionDetail }) {
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
      <DescriptionList items={facts(session)} />
      <Disclosure
        summary={
          <Box component="span" sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}>
            {firstLine(inlineValue(session.alert_data), 110) || 'No data'}
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
    {
      term: 'Received',
      value: (
        <>
          <RelativeTime at={session.created_at} updateEveryMs={30_000} /> (
          <DateTime at={session.created_at} />)
        </>
      ),
    },
  ];
}
