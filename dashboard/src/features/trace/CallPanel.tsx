import { Panel } from '../../ui/Panel';
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
  if (entry === null) return null;
  return (
    <Panel title={row.title} testId="waterfall-call" sx={{ mt: 2 }}>
      {entry.kind === 'llm' ? (
        <LlmDetailView session={session} id={entry.item.id} />
      ) : (
        <McpDetailView session={session} item={entry.item} />
      )}
    </Panel>
  );
}
