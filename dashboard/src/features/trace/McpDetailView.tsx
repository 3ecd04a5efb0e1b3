import { Box, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import type { McpDetail, McpItem } from '../../api/trace';
import { inlineValue, plural, prettyJson, printValue } from '../../lib/format';
import { endpoints } from '../../lib/paths';
import { formatDateTime, formatDuration } from '../../lib/time';
import { Facts } from '../../ui/Facts';
import { Heading, Pending, TextPart } from './parts';
import { mcpQuery } from './queries';

interface McpDetailViewProps {
  readonly session: string;
  readonly item: McpItem;
}

/** One call of a tool with its arguments and its result, or what a server offered. */
export function McpDetailView({ session, item }: McpDetailViewProps) {
  const { data, error, refetch } = useQuery(mcpQuery(session, item.id, item.status));
  if (!data) return <Pending error={error} retry={() => void refetch()} />;
  const listing = item.interaction_type === 'tool_list';
  return (
    <Box data-testid="mcp-detail">
      <Facts
        facts={[
          { term: 'Server', value: data.server_name || '–', mono: true },
          ...(listing ? [] : [{ term: 'Tool', value: data.tool_name ?? '–', mono: true }]),
          { term: 'Took', value: formatDuration(data.duration_ms) },
          { term: 'Recorded', value: formatDateTime(data.created_at) },
          { term: 'Record', value: data.id, mono: true },
        ]}
      />
      {listing ? <Offered call={data} /> : <Call session={session} call={data} />}
    </Box>
  );
}

function Call({ session, call }: { readonly session: string; readonly call: McpDetail }) {
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
      {call.tool_result === null || call.tool_result === '' ? (
        <Typography sx={{ fontSize: '0.8125rem', color: 'text.secondary', mt: 1 }}>
          {call.status === 'started' ? 'The call still runs.' : 'There is no result.'}
        </Typography>
      ) : (
        <TextPart
          title="Result"
          text={prettyJson(call.tool_result)}
          label={`Result of ${name}`}
          href={endpoints.wholeResult(session, call.id)}
        />
      )}
    </>
  );
}

/** The record names so many tools of a server. */
const MOST_LISTED = 250;

function Offered({ call }: { readonly call: McpDetail }) {
  const { available_tools: tools, tool_result: told } = call;
  if (call.error_message !== null) {
    return (
      <Typography sx={{ fontSize: '0.8125rem', mt: 1 }}>The agent worked without it.</Typography>
    );
  }
  if (tools.length === 0) {
    return <Typography sx={{ fontSize: '0.8125rem', mt: 1 }}>It offered no tool.</Typography>;
  }
  return (
    <>
      <Heading>
        What the agent could call: {told ?? plural(tools.length, 'tool')}
        {tools.length >= MOST_LISTED && `, of which the first ${MOST_LISTED}`}
      </Heading>
      <Box
        component="dl"
        data-testid="offered-tools"
        sx={{
          m: 0,
          fontSize: '0.8125rem',
          '& dd': { m: 0, mb: 0.5, color: 'text.secondary', overflowWrap: 'anywhere' },
        }}
      >
        {tools.map(({ name, description }) => (
          <Box key={name}>
            <Box component="dt" sx={{ fontFamily: 'var(--tarsy-mono)', fontWeight: 600 }}>
              {name}
            </Box>
            <dd>{description}</dd>
          </Box>
        ))}
      </Box>
    </>
  );
}
