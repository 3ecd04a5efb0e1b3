import { Box, Button, Typography } from '@mui/material';
import { useContext } from 'react';
import type { Execution } from '../../../api/sessions';
import { callAnchor } from '../../../lib/session/citations';
import { inlineValue, plural, prettyJson, printValue } from '../../../lib/text/format';
import { describeStatus } from '../../../lib/session/status';
import type { TimelineItem } from '../../../live/reduce';
import { Badge } from '../../../ui/badges/Badge';
import { CodeBlock } from '../../../ui/text/CodeBlock';
import { Disclosure } from '../../../ui/layout/Disclosure';
import { StatusChip } from '../../../ui/badges/StatusChip';
import { ArrowUpIcon, JoinIcon, MaskIcon, ShieldIcon, ToolIcon } from '../../../ui/theme/icons';
import { belowAppBar, ellipsis } from '../../../ui/theme/tokens';
import { CallTitle, RefusedBadge } from '../../../ui/findings/toolCalls';
import { useCallCard } from '../calls';
import { useDispatched } from '../dispatched';
import { FullResult } from '../FullResult';
import { Item } from '../Item';
import { hasArguments, readMeta, toolTitle, type ItemMeta } from '../itemMeta';
import type { KindProps } from '../kinds';
import { callKey, WaitingCalls } from '../pending';
import { SummaryCard } from '../SummaryCard';
import { Dispatched } from './Dispatched';

/** A tool call with arguments, progress and result. It is the target of citations. */
export function ToolCall({ item, summary }: KindProps) {
  const meta = readMeta(item);
  const waits = useContext(WaitingCalls).has(callKey(meta));
  const status = statusOf(item, { failed: meta.isError, waits });
  const dispatched = useDispatched(meta.dispatched);
  return (
    <Item
      item={item}
      icon={dispatched === null ? <ToolIcon /> : <JoinIcon />}
      tone={meta.isError ? 'error' : 'neutral'}
      title={
        <CallTitle
          name={dispatched === null ? toolTitle(meta) : `↳ ${dispatched.agent_name}`}
          number={meta.callNumber}
        />
      }
      extra={
        <>
          <StatusChip status={dispatched?.status ?? status} />
          <CallBadges meta={meta} />
        </>
      }
    >
      <CallCard item={item} summary={summary} meta={meta} status={status} dispatched={dispatched} />
    </Item>
  );
}

const WAITING = 'waiting_for_approval';

/** The status shown, which is `failed` for a completed call that returned an error. */
function statusOf(item: TimelineItem, { failed, waits }: Record<'failed' | 'waits', boolean>) {
  if (waits && item.status === 'streaming') return WAITING;
  return failed && item.status === 'completed' ? 'failed' : item.status;
}

interface CallCardProps extends KindProps {
  readonly meta: ItemMeta;
  readonly status: string;
  readonly dispatched: Execution | null;
}

function CallCard({ item, summary, meta, status, dispatched }: CallCardProps) {
  const { callNumber } = meta;
  const { card, targeted, back } = useCallCard(callNumber);
  const name = toolTitle(meta);
  return (
    <Box
      ref={card}
      id={callNumber === null ? undefined : callAnchor(callNumber)}
      role="group"
      aria-label={cardLabel(meta, name, status)}
      tabIndex={-1}
      data-testid="tool-card"
      data-status={status}
      data-call={callNumber ?? undefined}
      data-targeted={targeted}
      sx={cardStyles(targeted)}
    >
      {back && (
        <Button
          size="small"
          startIcon={<ArrowUpIcon />}
          onClick={back}
          data-testid="back-to-citation"
        >
          Back to citation
        </Button>
      )}
      {dispatched && <Dispatched execution={dispatched} />}
      {!dispatched && hasArguments(meta.arguments) && <Arguments meta={meta} open={targeted} />}
      {item.status === 'streaming' && (
        <Waiting message={status === WAITING ? 'Waiting for approval…' : item.progressMessage} />
      )}
      {item.status !== 'streaming' && !dispatched && (
        <Result item={item} meta={meta} open={targeted} />
      )}
      {callNumber !== null && (meta.cut || summary !== undefined) && (
        <FullResult session={item.session_id} callNumber={callNumber} toolName={name} />
      )}
      {summary && <SummaryCard item={summary} />}
    </Box>
  );
}

function cardStyles(targeted: boolean) {
  return {
    border: 1,
    borderColor: targeted ? 'primary.main' : 'divider',
    boxShadow: targeted ? 'inset 0 0 0 1px var(--mui-palette-primary-main)' : 'none',
    borderRadius: 1.5,
    px: 1.25,
    py: 0.75,
    mt: 0.5,
    scrollMarginTop: belowAppBar(96),
    outlineOffset: -2,
  };
}

function cardLabel(meta: ItemMeta, name: string, status: string): string {
  const number = meta.callNumber === null ? '' : ` ${meta.callNumber}`;
  return `Tool call${number}: ${name}, ${describeStatus(status).label}`;
}

function Waiting({ message }: { readonly message: string | undefined }) {
  return (
    <Typography
      data-testid="tool-progress"
      sx={{ color: 'text.secondary', fontSize: '0.8125rem', py: 0.5, overflowWrap: 'anywhere' }}
    >
      {message || 'Waiting for result…'}
    </Typography>
  );
}

function CallBadges({ meta }: { readonly meta: ItemMeta }) {
  const { masked, maskedValues, refused, injected, answeredFrom } = meta;
  const values = maskedValues === null ? 'Secrets were' : `${plural(maskedValues, 'value')} were`;
  return (
    <>
      {refused && <RefusedBadge />}
      {answeredFrom !== null && (
        <Badge
          tone="neutral"
          testId="repeated-badge"
          tooltip={`It repeats call ${String(answeredFrom)}, and was not made again: the result is that one's`}
        >
          Answered from call {answeredFrom}
        </Badge>
      )}
      {injected > 0 && (
        <Badge
          tone="warning"
          testId="injected-badge"
          tooltip={`Possible prompt injection at ${plural(injected, 'place')} of the result`}
        >
          <ShieldIcon /> Injected instructions
        </Badge>
      )}
      {masked && (
        <Badge
          tone="neutral"
          testId="masked-badge"
          tooltip={`${values} replaced before the result was stored or sent to the model`}
        >
          <MaskIcon /> {maskedValues === null ? 'Masked' : `Masked: ${maskedValues}`}
        </Badge>
      )}
    </>
  );
}

const headingStyles = { fontSize: '0.75rem', fontWeight: 600, color: 'text.secondary' } as const;

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
          <Box component="span" sx={headingStyles}>
            Arguments
          </Box>
          <Box
            component="code"
            sx={{ ...ellipsis, fontFamily: 'var(--tarsy-mono)', fontSize: '0.75rem' }}
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

function resultHeading(meta: ItemMeta): string {
  if (meta.isError) return 'Error';
  return meta.cut ? 'Result (truncated)' : 'Result';
}

function Result({ item, meta, open }: PartProps & { readonly item: TimelineItem }) {
  const text = item.content === '' ? (meta.errorMessage ?? '') : item.content;
  const heading = resultHeading(meta);
  return (
    <Box sx={{ py: 0.5 }}>
      <Typography component="p" sx={{ ...headingStyles, mb: 0.5 }}>
        {heading}
      </Typography>
      {text === '' ? (
        <Typography sx={{ fontSize: '0.8125rem', color: 'text.secondary' }}>
          {item.status === 'completed' ? 'The tool returned an empty result.' : 'No result.'}
        </Typography>
      ) : (
        <CodeBlock
          text={prettyJson(text)}
          label={`${heading} of ${toolTitle(meta)}`}
          lines={10}
          open={open}
          wrap={meta.isError}
          testId="tool-result"
        />
      )}
    </Box>
  );
}
