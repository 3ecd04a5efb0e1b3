import { useQuery } from '@tanstack/react-query';
import { Facts } from '../../ui/Facts';
import { Panel } from '../../ui/Panel';
import { systemInfoQuery } from './queries';

export function SystemFacts() {
  const { data } = useQuery(systemInfoQuery);
  if (!data) return null;
  const { llm, version } = data;
  return (
    <Panel title="This installation" testId="system-facts">
      <Facts
        facts={[
          { term: 'Version', value: version || '–' },
          {
            term: 'Investigates',
            value: llm.offline ? 'Offline analyst (rules, no model)' : 'Language model',
          },
          { term: 'Provider', value: llm.provider || '–' },
          { term: 'Model', value: llm.model || '–', mono: true },
          { term: 'Backend', value: llm.backend || '–' },
        ]}
      />
    </Panel>
  );
}
