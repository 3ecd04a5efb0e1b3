import { memo } from 'react';
import type { SessionDetail } from '../../api/sessions';
import { showBidiControls } from '../../lib/text/bidi';
import { approximate, formatCost, formatExact, humanize, plural } from '../../lib/text/format';
import { DescriptionList, type DescriptionItem } from '../../ui/layout/DescriptionList';
import { Panel } from '../../ui/layout/Panel';
import { DateTime } from '../../ui/numbers/times';

export const DetailsPanel = memo(function DetailsPanel({
  session,
}: {
  readonly session: SessionDetail;
}) {
  const items: readonly DescriptionItem[] = [
    { term: 'Chain', value: session.chain_id || '–' },
    { term: 'Author', value: <bdi>{showBidiControls(session.author ?? '–')}</bdi> },
    { term: 'Created', value: <DateTime at={session.created_at} /> },
    { term: 'Started', value: <DateTime at={session.started_at} /> },
    { term: 'Completed', value: <DateTime at={session.completed_at} /> },
    { term: 'LLM calls', value: formatExact(session.llm_interaction_count) },
    { term: 'Tool calls', value: formatExact(session.mcp_interaction_count) },
    {
      term: 'Tokens',
      value: approximate(
        `${formatExact(session.total_tokens)} (${formatExact(session.input_tokens)} in, ${formatExact(session.output_tokens)} out)`,
        session.tokens_estimated,
      ),
    },
    ...cost(session),
    ...toolOverride(session.mcp_selection),
    ...providerOverride(session.requested_provider),
    ...fingerprint(session.slack_message_fingerprint),
  ];
  return (
    <Panel title="Details" testId="session-details">
      <DescriptionList items={items} />
    </Panel>
  );
});

function cost(session: SessionDetail): readonly DescriptionItem[] {
  const { cost_micro_usd: total, unpriced_llm_calls: unpriced, prices } = session;
  const sources = describePrices(prices);
  if (total === null) {
    if (sources === '' && unpriced === 0) return [];
    return [{ term: 'Cost', value: `${unpriced === 0 ? '–' : 'not priced'}${sources}` }];
  }
  const partly =
    unpriced === 0 ? '' : `, partly priced: ${plural(unpriced, 'call')} without a price`;
  return [{ term: 'Cost', value: `${formatCost(total)}${partly}${sources}` }];
}

/** Where the prices come from, by provider where they differ. */
function describePrices(prices: SessionDetail['prices']): string {
  const source = ({ source: of, list_day: day }: (typeof prices)[number]) => {
    if (of === 'configured') return 'configured prices';
    return of === 'price_list' ? `price list${day === null ? '' : ` of ${day}`}` : 'no price';
  };
  const distinct = [...new Set(prices.map((price) => source(price)))];
  if (distinct.length === 0) return '';
  const each = prices.map((price) => `${showBidiControls(price.provider)}: ${source(price)}`);
  return ` (${(distinct.length === 1 ? distinct : each).join(', ')})`;
}

function toolOverride(selection: SessionDetail['mcp_selection']): readonly DescriptionItem[] {
  if (selection === null) return [];
  const servers = selection.servers.map(({ name, tools: only }) =>
    only === null ? `${name} (all)` : `${name} (${only.join(', ')})`,
  );
  const native = Object.entries(selection.native_tools)
    .filter(([, on]) => typeof on === 'boolean')
    .map(([name, on]) => `${humanize(name).toLowerCase()} ${on ? 'on' : 'off'}`);
  const none = selection.without_servers ? ['no tool server'] : [];
  const value = [...servers, ...none, ...native].join('; ');
  return value === '' ? [] : [{ term: 'Tool override', value }];
}

function providerOverride(name: string | null): readonly DescriptionItem[] {
  return name === null ? [] : [{ term: 'Provider override', value: name }];
}

function fingerprint(text: string | null): readonly DescriptionItem[] {
  return text === null || text === '' ? [] : [{ term: 'Slack fingerprint', value: text }];
}
