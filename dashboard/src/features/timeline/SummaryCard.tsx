import { Box, Typography } from '@mui/material';
import { formatCount } from '../../lib/text/format';
import type { TimelineItem } from '../../live/reduce';
import { Markdown } from '../../ui/markdown/Markdown';
import { Secondary } from '../../ui/layout/Secondary';
import { StreamingText } from '../../ui/markdown/StreamingText';
import { ReportIcon } from '../../ui/theme/icons';
import { toneText } from '../../ui/badges/tones';
import { readMeta } from './itemMeta';

const titles: Readonly<Record<string, string>> = {
  streaming: 'Summarizing for the agent…',
  completed: 'Summary given to the agent',
};

/** The summary of a long tool result, which the agent receives in place of the result. */
export function SummaryCard({ item }: { readonly item: TimelineItem }) {
  const meta = readMeta(item);
  const model = [meta.backend, meta.model].filter((part) => part !== null && part !== '');
  return (
    <Box
      component="section"
      aria-label={`Summary of call ${meta.callNumber ?? ''}`}
      data-testid="summary-card"
      data-event-id={item.id}
      data-event-type={item.event_type}
      data-status={item.status}
      sx={{ borderTop: 1, borderColor: 'divider', mt: 1, pt: 1 }}
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1 }}>
        <ReportIcon sx={{ fontSize: 17, color: 'text.secondary' }} />
        <Typography component="p" sx={{ fontSize: '0.8125rem', fontWeight: 600 }}>
          {titles[item.status] ?? 'Summary'}
        </Typography>
        <Sizes original={meta.originalTokens} summary={meta.summaryTokens} />
        {model.length > 0 && <Secondary size="small">by {model.join(' · ')}</Secondary>}
      </Box>
      <Box sx={{ fontSize: '0.8125rem', mt: 0.5 }}>
        <SummaryText status={item.status} text={item.content} />
      </Box>
    </Box>
  );
}

function SummaryText({ status, text }: { readonly status: string; readonly text: string }) {
  if (status === 'streaming') return <StreamingText text={text} testId="streaming-text" />;
  if (status === 'completed') return <Markdown text={text} />;
  return (
    <>
      <Typography sx={{ color: toneText('warning'), fontSize: '0.8125rem', fontWeight: 600 }}>
        The summary was interrupted. The agent did not receive it.
      </Typography>
      {text !== '' && <Box sx={{ color: 'text.secondary', whiteSpace: 'pre-wrap' }}>{text}</Box>}
    </>
  );
}

interface SizesProps {
  readonly original: number | null;
  readonly summary: number | null;
}

function Sizes({ original, summary }: SizesProps) {
  if (original === null) return null;
  return (
    <Secondary size="small" testId="summary-sizes">
      {formatCount(original)}
      {summary !== null && ` → ${formatCount(summary)}`} tokens
    </Secondary>
  );
}
