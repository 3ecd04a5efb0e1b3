import { Box } from '@mui/material';
import { useEffect, useRef } from 'react';
import { Panel } from '../../ui/layout/Panel';
import { LlmDetailView } from './LlmDetailView';
import { McpDetailView } from './McpDetailView';
import type { WaterfallRow } from './waterfall';

interface CallPanelProps {
  readonly session: string;
  readonly row: WaterfallRow;
}

/** The call of a row of the waterfall. */
export default function CallPanel({ session, row }: CallPanelProps) {
  const { entry } = row;
  const panel = useRef<HTMLDivElement>(null);
  // It opens below a list that may fill the window; another call is another panel.
  useEffect(() => panel.current?.scrollIntoView({ block: 'nearest' }), []);
  if (entry === null) return null;
  return (
    <Box ref={panel} sx={{ minHeight: '30vh', pt: 2 }}>
      <Panel title={row.title} testId="waterfall-call">
        {entry.kind === 'llm' ? (
          <LlmDetailView session={session} id={entry.item.id} />
        ) : (
          <McpDetailView session={session} item={entry.item} />
        )}
      </Panel>
    </Box>
  );
}
