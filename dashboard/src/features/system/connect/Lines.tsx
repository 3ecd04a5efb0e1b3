import { Box, Typography } from '@mui/material';
import { useEffect, useRef } from 'react';
import type { ConnectionLines } from '../../../api/connections';
import { CodeBlock } from '../../../ui/text/CodeBlock';
import { Panel } from '../../../ui/layout/Panel';
import { Secondary } from '../../../ui/layout/Secondary';
import { Column } from '../../../ui/layout/layout';

/** The lines for the file, and what to do with them. They take the focus: they appear below the button. */
export function Lines({ lines }: { readonly lines: ConnectionLines }) {
  const { server, yaml, variables, replaces } = lines;
  const start = useRef<HTMLDivElement>(null);
  useEffect(() => start.current?.focus(), []);
  return (
    <Panel title="2. Add the lines" testId="connect-lines">
      <Column>
        <Box ref={start} tabIndex={-1} sx={{ outline: 'none' }}>
          <Typography>
            Add them to <code>tarsy.yaml</code> in the folder of <code>TARSY_CONFIG_DIR</code>. If
            the file has one of the sections already, add the lines below its name to it.
          </Typography>
          {replaces && (
            <Secondary sx={{ mt: 0.5 }}>
              {server} is configured or built in already: the lines replace it.
            </Secondary>
          )}
        </Box>
        <CodeBlock text={yaml} label="Lines for tarsy.yaml" lines={60} testId="connect-yaml" />
        {variables.length > 0 && (
          <Box>
            <Typography>
              Set {variables.join(', ')} where the tool gateway runs (<code>tarsy up</code> or{' '}
              <code>tarsy-mcp-gateway</code>), and restart it. The value belongs into its
              environment alone.
            </Typography>
          </Box>
        )}
        <Box>
          <Typography sx={{ mb: 1 }}>Check and load the file:</Typography>
          <CodeBlock
            text={'tarsy config check && tarsy config reload'}
            label="Commands that check and load the file"
          />
        </Box>
      </Column>
    </Panel>
  );
}
