import { Box } from '@mui/material';
import { memo } from 'react';
import type { SessionDetail } from '../../api/sessions';
import { firstLine, inlineValue, prettyJson } from '../../lib/format';
import { CodeBlock } from '../../ui/CodeBlock';
import { CopyButton } from '../../ui/CopyButton';
import { Disclosure } from '../../ui/Disclosure';
import { Panel } from '../../ui/Panel';
import { alertAsCurl } from './alertRequest';

/** The alert data, collapsed to its first line. */
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
      <Disclosure
        summary={
          <Box component="span" sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}>
            {firstLine(inlineValue(session.alert_data), 110) || 'No data'}
          </Box>
        }
      >
        <CodeBlock text={prettyJson(session.alert_data)} label="Alert data" lines={40} wrap />
      </Disclosure>
    </Panel>
  );
});
