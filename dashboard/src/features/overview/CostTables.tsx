import type { Overview } from '../../api/overview';
import { showBidiControls } from '../../lib/text/bidi';
import { formatCost, formatCount, plural } from '../../lib/text/format';
import { Panel } from '../../ui/layout/Panel';
import { NumberTable } from '../../ui/numbers/NumberTable';
import { ShareBar } from './ShareBar';

type Cost = Overview['costs'][number];

const dimensions = [
  ['model', 'Model'],
  ['chain', 'Chain'],
  ['alert_type', 'Alert type'],
  ['agent', 'Agent'],
] as const;

/** What models cost, by what they were called for. */
export function CostTables({ costs }: { readonly costs: readonly Cost[] }) {
  return dimensions.map(([dimension, label]) => {
    const rows = costs.filter((cost) => cost.dimension === dimension);
    if (rows.length === 0) return null;
    const title = `Cost by ${label.toLowerCase()}`;
    const most = Math.max(1, ...rows.map(({ cost_micro_usd: cost }) => cost ?? 0));
    return (
      <Panel key={dimension} title={title} testId={`overview-cost-${dimension}`}>
        <NumberTable
          label={title}
          columns={[label, 'Sessions', 'Tokens', 'Cost', 'Priced']}
          rows={rows.map((row) => ({
            key: row.name,
            cells: [
              <ShareBar key="name" share={(row.cost_micro_usd ?? 0) / most}>
                <bdi>{showBidiControls(row.name)}</bdi>
              </ShareBar>,
              formatCount(row.sessions),
              formatCount(row.total_tokens),
              row.cost_micro_usd === null ? '–' : formatCost(row.cost_micro_usd),
              pricedOf(row),
            ],
          }))}
        />
      </Panel>
    );
  });
}

/** Whether the cost is that of all calls. */
function pricedOf({ cost_micro_usd: cost, unpriced_calls: unpriced }: Cost): string {
  if (cost === null) return 'not priced';
  return unpriced === 0 ? 'complete' : `partly: ${plural(unpriced, 'call')} without a price`;
}
