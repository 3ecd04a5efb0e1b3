import { Box, Button, Typography } from '@mui/material';
import { callAnchor } from '../../../lib/citations';
import { inlineValue, plural, prettyJson, printValue } from '../../../lib/format';
import { describeStatus } from '../../../lib/status';
import type { TimelineItem } from '../../../live/reduce';
import { CodeBlock } from '../../../ui/CodeBlock';
import { Disclosure } from '../../../ui/Disclosure';
import { Mark } from '../../../ui/Mark';
import { StatusChip } from '../../../ui/StatusChip';
import { ArrowUpIcon, MaskIcon, StopIcon, ToolIcon } from '../../../ui/icons';
import { useCallCard } from '../calls';
import { Item } from '../Item';
import { hasArguments, readMeta, toolTitle, type ItemMeta } from '../itemMeta';
import type { KindProps } from '../kinds';
import { SummaryCard } from '../SummaryCard';
import { WholeResult } from '../WholeResult';

/** One call of a tool, from its start to its result; citations lead here. */
export function ToolCall({ item, summary }: KindProps) {
  const meta = readMeta(item);
  const { card, wanted, back } = useCallCard(meta.callNumber);
  const name = toolTitle(meta);
  const status = meta.isError && item.status === 'completed' ? 'failed' : item.status;
  return (
    <Item
      item={item}
      icon={<ToolIcon />}
      tone={meta.isError ? 'error' : 'neutral'}
      title={<ToolName name={name} number={meta.callNumber} />}
      extra={
        <>
          <StatusChip status={status} />
          <CallMarks meta={meta} />
        </>
      }
    >
      <Box
        ref={card}
        id={meta.callNumber === null ? undefined : callAnchor(meta.callNumber)}
        role="group"
        aria-label={cardLabel(meta, name, status)}
        tabIndex={-1}
        data-testid="tool-card"
        data-status={status}
        data-call={meta.callNumber ?? undefined}
        data-wanted={wanted}
        sx={{
          border: 1,
          borderColor: wanted ? 'primary.main' : 'divider',
          boxShadow: wanted ? 'inset 0 0 0 1px var(--mui-palette-primary-main)' : 'none',
          borderRadius: 1.5,
          px: 1.25,
          py: 0.75,
          mt: 0.5,
          scrollMarginTop: 'calc(var(--tarsy-bar) + 96px)',
          outlineOffset: -2,
        }}
      >
        {back && (
          <Button size="small" startIcon={<ArrowUpIcon />} onClick={back} data-testid="call-back">
            Back to where it was cited
          </Button>
        )}
        {hasArguments(meta.arguments) && <Arguments meta={meta} open={wanted} />}
        {item.status === 'streaming' ? (
          <Waiting note={item.note} />
        ) : (
          <Result item={item} meta={meta} open={wanted} />
        )}
        {meta.callNumber !== null && (meta.cut || summary !== undefined) && (
          <WholeResult session={item.session_id} number={meta.callNumber} name={name} />
        )}
        {summary && <SummaryCard item={summary} />}
      </Box>
    </Item>
  );
}

function cardLabel(meta: ItemMeta, name: string, status: string): string {
  const number = meta.callNumber === null ? '' : ` ${meta.callNumber}`;
  return `Tool call${number}: ${name}, ${describeStatus(status).label}`;
}

function Waiting({ note }: { readonly note: string | undefined }) {
  return (
    <Typography
      data-testid="tool-progress"
      sx={{ color: 'text.secondary', fontSize: '0.8125rem', py: 0.5, overflowWrap: 'anywhere' }}
    >
      {note || 'Waiting for the result…'}
    </Typography>
  );
}

function CallMarks({ meta }: { readonly meta: ItemMeta }) {
  const { masked, maskedValues, refused } = meta;
  const values = maskedValues === null ? 'Secrets were' : `${plural(maskedValues, 'value')} were`;
  return (
    <>
      {refused && (
        <Mark tone="warning" testId="refused-mark" hint="The tool policy of this server refuses it">
          <StopIcon /> Refused by policy
        </Mark>
      )}
      {masked && (
        <Mark
          tone="neutral"
          testId="masked-mark"
          hint={`${values} taken out before anyone read the result`}
        >
          <MaskIcon /> {maskedValues === null ? 'Masked' : `Masked: ${maskedValues}`}
        </Mark>
      )}
    </>
  );
}

interface ToolNameProps {
  readonly name: string;
  readonly number: number | null;
}

function ToolName({ name, number }: ToolNameProps) {
  return (
    <>
      {number !== null && (
        <Box
          component="span"
          data-testid="call-number"
          sx={{ color: 'text.secondary', mr: 0.75, whiteSpace: 'nowrap' }}
        >
          call {number}
        </Box>
      )}
      <Box component="code" sx={{ fontFamily: 'var(--tarsy-mono)', overflowWrap: 'anywhere' }}>
        {name}
      </Box>
    </>
  );
}

interface PartProps {
  readonly meta: ItemMeta;
  readonly open: boolean;
}

function Arguments({ meta, open }: PartProps) {
  return (
    <Disclosure
      open={open}
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

function Result({ item, meta, open }: PartProps & { readonly item: TimelineItem }) {
  const text = item.content === '' ? (meta.errorMessage ?? '') : item.content;
  const noun = meta.isError ? 'Error' : meta.cut ? 'Beginning of the result' : 'Result';
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
          open={open}
          testId="tool-result"
        />
      )}
    </Box>
  );
}
