import { About } from '../../features/system/About';
import { McpServers } from '../../features/system/McpServers';
import { Services } from '../../features/system/Services';
import { Warnings } from '../../features/system/Warnings';
import { useTitle } from '../../lib/useTitle';
import { PageHeading } from '../../ui/PageHeading';
import { Column, TwoColumns } from '../../ui/layout';

export function SystemPage() {
  useTitle('System');
  return (
    <>
      <PageHeading title="System">Tool servers, warnings and services.</PageHeading>
      <TwoColumns from="md" sideWidthPx={360}>
        <McpServers />
        <Column>
          <Warnings />
          <Services />
          <About />
        </Column>
      </TwoColumns>
    </>
  );
}
