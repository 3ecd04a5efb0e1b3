import type { SessionDetail } from '../../api/sessions';
import { plural } from '../../lib/text/format';
import { EmptyState } from '../../ui/notices/EmptyState';
import { ReplayIcon } from '../../ui/theme/icons';
import { Panel } from '../../ui/layout/Panel';

/** What an imported record has in place of a timeline: nobody investigated it. */
export function Record({ session }: { readonly session: SessionDetail }) {
  return (
    <Panel title="Timeline">
      <EmptyState icon={<ReplayIcon />} title="Not investigated" testId="record">
        {`This record has the alert and ${plural(session.mcp_interaction_count, 'tool result')}. `}
        Replay it to investigate.
      </EmptyState>
    </Panel>
  );
}
