import { Link } from '@mui/material';
import { memo } from 'react';
import type { SessionDetail } from '../../api/sessions';
import { formatExact } from '../../lib/format';
import { formatDateTime } from '../../lib/time';
import { Facts, type Fact } from '../../ui/Facts';
import { Panel } from '../../ui/Panel';

export const SessionFacts = memo(function SessionFacts({
  session,
}: {
  readonly session: SessionDetail;
}) {
  const facts: readonly Fact[] = [
    { term: 'Chain', value: session.chain_id || '–' },
    { term: 'Author', value: session.author ?? '–' },
    { term: 'Created', value: formatDateTime(session.created_at) },
    { term: 'Started', value: formatDateTime(session.started_at) },
    { term: 'Ended', value: formatDateTime(session.completed_at) },
    { term: 'LLM calls', value: formatExact(session.llm_interaction_count) },
    { term: 'Tool calls', value: formatExact(session.mcp_interaction_count) },
    {
      term: 'Tokens',
      value: `${formatExact(session.total_tokens)} (${formatExact(session.input_tokens)} in, ${formatExact(session.output_tokens)} out)`,
    },
    ...runbook(session.runbook_url),
  ];
  return (
    <Panel title="Details" testId="session-facts">
      <Facts facts={facts} />
    </Panel>
  );
});

function runbook(url: string | null): readonly Fact[] {
  if (url === null || url === '') return [];
  const safe = /^https?:\/\//i.test(url);
  const value = safe ? (
    <Link href={url} target="_blank" rel="noopener noreferrer">
      {url}
    </Link>
  ) : (
    url
  );
  return [{ term: 'Runbook', value }];
}
