import { useQuery, useQueryClient } from '@tanstack/react-query';
import { testMcpServer } from '../../../api/system';
import { plural } from '../../../lib/text/format';
import { formatDuration } from '../../../lib/time/time';
import { LoadState } from '../../../ui/notices/LoadState';
import { Panel } from '../../../ui/layout/Panel';
import { Secondary } from '../../../ui/layout/Secondary';
import { mcpServersQuery } from '../queries';
import { TestConnection } from '../TestConnection';
import { ToolList } from '../ToolList';

/** The server of the lines, once the configuration has it. */
export function NewServer({ id }: { readonly id: string }) {
  const query = useQuery(mcpServersQuery);
  const client = useQueryClient();
  const server = query.data?.servers.find((one) => one.id === id);
  return (
    <Panel title="3. Test the connection" testId="connect-test">
      <LoadState query={query} noun="tool servers" heightPx={64} />
      {query.data && !server && (
        <Secondary role="status">
          {id} is not configured yet. It appears here soon after the file is loaded.
        </Secondary>
      )}
      {server && (
        <>
          {server.error && <Secondary sx={{ overflowWrap: 'anywhere' }}>{server.error}</Secondary>}
          <TestConnection
            to={id}
            test={() => testMcpServer(id)}
            connected={({ duration_ms: duration, tool_count: tools }) =>
              `Connected in ${formatDuration(duration)}: ${plural(tools, 'tool')}.`
            }
            onSettled={() => client.invalidateQueries({ queryKey: mcpServersQuery.queryKey })}
          />
          <ToolList server={server} />
        </>
      )}
    </Panel>
  );
}
