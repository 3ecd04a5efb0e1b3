import { Box, TextField, Typography } from '@mui/material';
import { useState } from 'react';
import type { McpServer, Tool } from '../../api/system';
import { plural, printValue } from '../../lib/format';
import { CodeBlock } from '../../ui/CodeBlock';
import { Disclosure } from '../../ui/Disclosure';
import { Mark } from '../../ui/Mark';
import { schemaFields, type SchemaField } from './schema';

/** More tools than these get a field to look for one. */
const MANY = 10;

/** The tools of a server, each with what it takes. */
export function ToolList({ server }: { readonly server: McpServer }) {
  if (server.tools.length === 0) {
    return (
      <Typography sx={{ color: 'text.secondary', fontSize: '0.8125rem', mt: 0.5 }}>
        {server.tool_count > 0 ? plural(server.tool_count, 'tool') : 'No tools'}
      </Typography>
    );
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
      <Searchable server={server} />
    </Disclosure>
  );
}

function Searchable({ server }: { readonly server: McpServer }) {
  const [typed, setTyped] = useState('');
  const wanted = typed.trim().toLowerCase();
  const shown = server.tools.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(wanted),
  );
  return (
    <Box sx={{ pl: { xs: 0, sm: 3.25 } }}>
      {server.tools.length > MANY && (
        <TextField
          size="small"
          label={`Find a tool of ${server.id}`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          sx={{ my: 1 }}
        />
      )}
      {shown.length === 0 && (
        <Typography role="status" sx={{ fontSize: '0.8125rem', color: 'text.secondary' }}>
          No tool fits.
        </Typography>
      )}
      <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {shown.map((tool) => (
          <ToolEntry key={tool.name} tool={tool} />
        ))}
      </Box>
    </Box>
  );
}

function ToolEntry({ tool }: { readonly tool: Tool }) {
  const { read_only, idempotent } = tool.annotations;
  return (
    <Box component="li" data-testid="tool" sx={{ mb: 0.75 }}>
      <Disclosure
        summary={
          <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1 }}>
            <Box
              component="code"
              sx={{ fontFamily: 'var(--tarsy-mono)', fontSize: '0.8125rem', fontWeight: 600 }}
            >
              {tool.name}
            </Box>
            {read_only && (
              <Mark tone="success" hint="The server says that it changes nothing">
                read-only
              </Mark>
            )}
            {idempotent && !read_only && (
              <Mark tone="neutral" hint="The server says that calling it twice is as once">
                repeatable
              </Mark>
            )}
          </Box>
        }
      >
        <Box sx={{ pl: { xs: 0, sm: 3.25 }, pb: 1 }}>
          <Schema tool={tool} />
        </Box>
      </Disclosure>
      <Typography
        sx={{
          pl: { xs: 0, sm: 3.25 },
          color: 'text.secondary',
          fontSize: '0.8125rem',
          overflowWrap: 'anywhere',
          whiteSpace: 'pre-wrap',
        }}
      >
        {tool.description || 'No description'}
      </Typography>
    </Box>
  );
}

function Schema({ tool }: { readonly tool: Tool }) {
  if (tool.input_schema === null) {
    return <Typography sx={{ fontSize: '0.8125rem' }}>What it takes is not told.</Typography>;
  }
  const fields = schemaFields(tool.input_schema);
  return (
    <>
      {fields.length === 0 ? (
        <Typography sx={{ fontSize: '0.8125rem' }}>It takes no arguments.</Typography>
      ) : (
        <Box
          component="dl"
          aria-label={`Arguments of ${tool.name}`}
          sx={{
            m: 0,
            mb: 0.5,
            fontSize: '0.8125rem',
            '& dd': { m: 0, mb: 0.5, color: 'text.secondary', overflowWrap: 'anywhere' },
          }}
        >
          {fields.map((field) => (
            <Argument key={field.name} field={field} />
          ))}
        </Box>
      )}
      <Disclosure
        summary={
          <Box component="span" sx={{ fontSize: '0.75rem', color: 'text.secondary' }}>
            Schema
          </Box>
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

function Argument({ field }: { readonly field: SchemaField }) {
  return (
    <Box>
      <Box component="dt">
        <Box component="code" sx={{ fontFamily: 'var(--tarsy-mono)', fontWeight: 600 }}>
          {field.name}
        </Box>
        {' · '}
        {field.kind}
        {field.required ? ' · required' : ''}
      </Box>
      <dd>{field.description}</dd>
    </Box>
  );
}
