import { useQuery } from '@tanstack/react-query';
import { DescriptionList } from '../../ui/layout/DescriptionList';
import { Panel } from '../../ui/layout/Panel';
import { systemInfoQuery } from '../../api/system';

export function About() {
  const { data } = useQuery(systemInfoQuery);
  if (!data) return null;
  const { llm, version } = data;
  return (
    <Panel title="About" testId="about">
      <DescriptionList
        items={[
          { term: 'Version', value: version || '–' },
          {
            term: 'Engine',
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
