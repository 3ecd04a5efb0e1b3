import { Box, Typography } from '@mui/material';
import { inlineValue, prettyJson, printValue } from '../../../lib/format';
import { CodeBlock } from '../../../ui/CodeBlock';
import { Disclosure } from '../../../ui/Disclosure';
import { StatusChip } from '../../../ui/StatusChip';
import { ToolIcon } from '../../../ui/icons';
import { Item } from '../Item';
import { hasArguments, readMeta, toolTitle, type ItemMeta } from '../itemMeta';
import type { KindProps } from '../kinds';

/** One call of a tool, from its start to its result. */
export function ToolCall({ item }: KindProps) {
  const meta = readMeta(item);
  const running = item.status === 'streaming';
  const status = meta.isError && item.status === 'completed' ? 'failed' : item.status;
  return (
    <Item
      item={item}
      icon={<ToolIcon />}
      tone={meta.isError ? 'error' : 'neutral'}
      title={<ToolName name={toolTitle(meta)} />}
      extra={<StatusChip status={status} />}
    >
      <Box
        data-testid="tool-card"
        data-status={status}
        sx={{ border: 1, borderColor: 'divider', borderRadius: 1.5, px: 1.25, py: 0.75, mt: 0.5 }}
      >
        {hasArguments(meta.arguments) && <Arguments meta={meta} />}
        {running ? (
          <Typography sx={{ color: 'text.secondary', fontSize: '0.8125rem', py: 0.5 }}>
            Waiting for the result…
          </Typography>
        ) : (
          <Result item={item} meta={meta} />
        )}
      </Box>
    </Item>
  );
}

function ToolName({ name }: { readonly name: string }) {
  return (
    <Box component="code" sx={{ fontFamily: 'var(--tarsy-mono)', overflowWrap: 'anywhere' }}>
      {name}
    </Box>
  );
}

function Arguments({ meta }: { readonly meta: ItemMeta }) {
  return (
    <Disclosure
      testId="tool-arguments"
      summary={
        <Box sx={{ display: 'flex', gap: 1, alignItems: 'baseline', minWidth: 0 }}>
          <Box
            component="span"
            sx={{ fontSize: '0.75rem', fontWeight: 600, color: 'text.secondary' }}
          >
            Arguments
          </Box>
          <Box
            component="code"
            sx={{
              fontFamily: 'var(--tarsy-mono)',
              fontSize: '0.75rem',
              overflow: 'hidden',
              textOverflow: 'ellipsis',
              whiteSpace: 'nowrap',
            }}
          >
            {inlineValue(meta.arguments)}
          </Box>
        </Box>
      }
    >
      <CodeBlock text={printValue(meta.arguments)} label={`Arguments of ${toolTitle(meta)}`} />
    </Disclosure>
  );
}

function Result({ item, meta }: KindProps & { readonly meta: ItemMeta }) {
  const text = item.content === '' ? (meta.errorMessage ?? '') : item.content;
  const noun = meta.isError ? 'Error' : 'Result';
  return (
    <Box sx={{ py: 0.5 }}>
      <Typography
        component="p"
        sx={{ fontSize: '0.75rem', fontWeight: 600, color: 'text.secondary', mb: 0.5 }}
      >
        {noun}
      </Typography>
      {text === '' ? (
        <Typography sx={{ fontSize: '0.8125rem', color: 'text.secondary' }}>
          {item.status === 'completed' ? 'The tool answered nothing.' : 'There is no result.'}
        </Typography>
      ) : (
        <CodeBlock
          text={prettyJson(text)}
          label={`${noun} of ${toolTitle(meta)}`}
          lines={10}
          testId="tool-result"
        />
      )}
    </Box>
  );
}
