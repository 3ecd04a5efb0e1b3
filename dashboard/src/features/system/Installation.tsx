import { useQuery } from '@tanstack/react-query';
import { DescriptionList } from '../../ui/DescriptionList';
import { Panel } from '../../ui/Panel';
import { systemInfoQuery } from './queries';

export function Installation() {
  const { data } = useQuery(systemInfoQuery);
  if (!data) return null;
  const { llm, version } = data;
  return (
    <Panel title="Installation" testId="installation">
      <DescriptionList
        items={[
          { term: 'Version', value: version || '–' },
          {
            term: 'Analysis',
            value: llm.offline ? 'Offline analyst (rule-based)' : 'Language model',
          },
          { term: 'Provider', value: llm.provider || '–' },
          { term: 'Model', value: llm.model || '–', mono: true },
          { term: 'Backend', value: llm.backend || '–' },
        ]}
      />
    </Panel>
  );
}
