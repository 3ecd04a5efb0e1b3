import { Box, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import type { McpDetail, McpItem } from '../../api/trace';
import { showBidiControls } from '../../lib/text/bidi';
import { inlineValue, plural, prettyJson, printValue } from '../../lib/text/format';
import { endpoints } from '../../lib/browser/paths';
import { formatDuration } from '../../lib/time/time';
import { DescriptionList } from '../../ui/layout/DescriptionList';
import { Secondary } from '../../ui/layout/Secondary';
import { DateTime } from '../../ui/numbers/times';
import { CopyAsCurl, Heading, Pending, TextPart } from './parts';
import { mcpQuery } from './queries';

interface McpDetailViewProps {
  /** Session id. */
  readonly session: string;
  readonly item: McpItem;
}

/** A tool call with arguments and result, or a listing of a server's tools. */
export function McpDetailView({ session, item }: McpDetailViewProps) {
  const { data, error, refetch } = useQuery(mcpQuery(session, item.id, item.status));
  if (!data) return <Pending error={error} onRetry={() => void refetch()} />;
  const listing = item.interaction_type === 'tool_list';
  return (
    <Box data-testid="mcp-detail">
      <DescriptionList
        items={[
          { term: 'Server', value: data.server_name || '–', mono: true },
          ...(listing ? [] : [{ term: 'Tool', value: data.tool_name ?? '–', mono: true }]),
          { term: 'Duration', value: formatDuration(data.duration_ms) },
          { term: 'Recorded', value: <DateTime at={data.created_at} /> },
          { term: 'ID', value: data.id, mono: true },
        ]}
      />
      <CopyAsCurl path={endpoints.mcpInteraction(session, item.id)} label="the tool call" />
      {listing ? <ToolListing call={data} /> : <ToolCall session={session} call={data} />}
    </Box>
  );
}

function ToolCall({ session, call }: { readonly session: string; readonly call: McpDetail }) {
  const name = [call.server_name, call.tool_name].filter(Boolean).join('.');
  return (
    <>
      {inlineValue(call.tool_arguments) !== '' && (
        <TextPart
          title="Arguments"
          text={printValue(call.tool_arguments)}
          label={`Arguments of ${name}`}
        />
      )}
      {call.tool_result ? (
        <TextPart
          title="Result"
          text={prettyJson(call.tool_result)}
          label={`Result of ${name}`}
          href={endpoints.fullResult(session, call.id)}
        />
      ) : (
        <Secondary sx={{ mt: 1 }}>
          {call.status === 'started' ? 'The call is still running.' : 'No result.'}
        </Secondary>
      )}
    </>
  );
}

/** Limit of the recorded tool list of a server. */
const MAX_RECORDED_TOOLS = 250;

function ToolListing({ call }: { readonly call: McpDetail }) {
  const { available_tools: tools, tool_result: summary } = call;
  if (call.error_message !== null) {
    return (
      <Typography sx={{ fontSize: '0.8125rem', mt: 1 }}>
        The agent continued without this server.
      </Typography>
    );
  }
  if (tools.length === 0) {
    return <Typography sx={{ fontSize: '0.8125rem', mt: 1 }}>0 tools</Typography>;
  }
  return (
    <>
      <Heading>
        Available to the agent: {showBidiControls(summary ?? plural(tools.length, 'tool'))}
        {tools.length >= MAX_RECORDED_TOOLS && ` (first ${MAX_RECORDED_TOOLS} recorded)`}
      </Heading>
      <Box
        component="dl"
        data-testid="available-tools"
        sx={{
          m: 0,
          fontSize: '0.8125rem',
          '& dd': { m: 0, mb: 0.5, color: 'text.secondary', overflowWrap: 'anywhere' },
        }}
      >
        {tools.map(({ name, description }) => (
          <Box key={name}>
            <Box component="dt" sx={{ fontFamily: 'var(--tarsy-mono)', fontWeight: 600 }}>
              {showBidiControls(name)}
            </Box>
            <dd>{showBidiControls(description)}</dd>
          </Box>
        ))}
      </Box>
    </>
  );
}
