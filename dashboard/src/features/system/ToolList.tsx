import { Box, Typography } from '@mui/material';
import { lazy, Suspense } from 'react';
import type { McpServer, Tool } from '../../api/system';
import { showBidiControls } from '../../lib/text/bidi';
import { humanize, plural, printValue } from '../../lib/text/format';
import { Badge } from '../../ui/badges/Badge';
import { CodeBlock } from '../../ui/text/CodeBlock';
import { Disclosure } from '../../ui/layout/Disclosure';
import { Secondary } from '../../ui/layout/Secondary';
import { schemaFields, type SchemaField } from './toolSchema';

const SearchableTools = lazy(async () => ({
  default: (await import('../../ui/fields/SearchableTools')).SearchableTools<Tool>,
}));

/** Indent of content below the text of a Disclosure. */
const indented = { pl: { xs: 0, sm: 3.25 } } as const;

/** The tools of a server with their arguments. */
export function ToolList({ server }: { readonly server: McpServer }) {
  if (server.tools.length === 0) {
    return <Secondary sx={{ mt: 0.5 }}>{plural(server.tool_count, 'tool')}</Secondary>;
  }
  return (
    <Disclosure
      testId="server-tools"
      summary={
        <Box component="span" sx={{ fontSize: '0.8125rem' }}>
          {plural(server.tools.length, 'tool')}
        </Box>
      }
    >
      <Box sx={indented}>
        <Suspense fallback={null}>
          <SearchableTools server={server.id} tools={server.tools}>
            {(tool) => <ToolEntry key={tool.name} tool={tool} />}
          </SearchableTools>
        </Suspense>
      </Box>
    </Disclosure>
  );
}

function ToolEntry({ tool }: { readonly tool: Tool }) {
  return (
    <Box component="li" data-testid="tool" sx={{ mb: 0.75 }}>
      <Disclosure summary={<ToolTitle tool={tool} />}>
        <Box sx={{ ...indented, pb: 1 }}>
          <InputSchema tool={tool} />
        </Box>
      </Disclosure>
      <Secondary sx={{ ...indented, overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {tool.description || 'No description'}
      </Secondary>
    </Box>
  );
}

function ToolTitle({ tool }: { readonly tool: Tool }) {
  const { idempotent } = tool.annotations;
  const readsOnly = tool.class === 'read_only';
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1 }}>
      <Box
        component="code"
        sx={{ fontFamily: 'var(--tarsy-mono)', fontSize: '0.8125rem', fontWeight: 600 }}
      >
        {showBidiControls(tool.name)}
      </Box>
      <ToolClass tool={tool} />
      {(tool.pin === 'changed' || tool.pin === 'new') && (
        <Badge tone="warning" tooltip="Differs from the accepted tools of this server">
          {humanize(tool.pin)}
        </Badge>
      )}
      {idempotent && !readsOnly && (
        <Badge
          tone="neutral"
          tooltip="The server declares that repeated calls have no additional effect"
        >
          Idempotent
        </Badge>
      )}
    </Box>
  );
}

/** Who, or what, decided the class of a tool. */
const deciders: Readonly<Record<string, string>> = {
  operator: 'the configuration',
  server: 'the server',
  name: 'its name',
  parameters: 'its parameters',
  call: 'each call',
};

function ToolClass({ tool }: { readonly tool: Tool }) {
  const reason = tool.class_reason || 'The server declares that the tool modifies nothing';
  const tooltip = `${reason} (decided by ${deciders[tool.class_decided_by] ?? 'nobody'})`;
  const [label, tone] = classLabel(tool);
  return (
    <>
      <Badge tone={tone} tooltip={tooltip}>
        {label}
      </Badge>
      {tool.class_reason && (
        <Secondary component="span" size="small" testId="tool-class-reason">
          {tooltip}
        </Secondary>
      )}
    </>
  );
}

function classLabel(
  tool: Tool,
): ['Read-only' | 'Write' | 'Judged by call' | 'Unknown', 'success' | 'warning' | 'neutral'] {
  if (tool.class === 'read_only') return ['Read-only', 'success'];
  if (tool.class === 'write') return ['Write', 'warning'];
  return tool.class_decided_by === 'call' ? ['Judged by call', 'neutral'] : ['Unknown', 'neutral'];
}

function InputSchema({ tool }: { readonly tool: Tool }) {
  if (tool.input_schema === null) {
    return <Typography sx={{ fontSize: '0.8125rem' }}>No input schema</Typography>;
  }
  return (
    <>
      <Arguments tool={tool} fields={schemaFields(tool.input_schema)} />
      <Disclosure
        summary={
          <Secondary component="span" size="small">
            Schema
          </Secondary>
        }
      >
        <CodeBlock
          text={printValue(tool.input_schema)}
          label={`Schema of ${tool.name}`}
          lines={30}
          testId="tool-schema"
        />
      </Disclosure>
    </>
  );
}

interface ArgumentsProps {
  readonly tool: Tool;
  readonly fields: readonly SchemaField[];
}

function Arguments({ tool, fields }: ArgumentsProps) {
  if (fields.length === 0) {
    return <Typography sx={{ fontSize: '0.8125rem' }}>No arguments</Typography>;
  }
  return (
    <Box
      component="dl"
      aria-label={showBidiControls(`Arguments of ${tool.name}`)}
      sx={{
        m: 0,
        mb: 0.5,
        fontSize: '0.8125rem',
        '& dd': { m: 0, mb: 0.5, color: 'text.secondary', overflowWrap: 'anywhere' },
      }}
    >
      {fields.map(({ name, type, required, description }) => (
        <Box key={name}>
          <Box component="dt">
            <Box component="code" sx={{ fontFamily: 'var(--tarsy-mono)', fontWeight: 600 }}>
              {showBidiControls(name)}
            </Box>
            {' · '}
            {showBidiControls(type)}
            {required ? ' · required' : ''}
          </Box>
          <dd>{showBidiControls(description)}</dd>
        </Box>
      ))}
    </Box>
  );
}
