import { Configuration } from '../../features/config/Configuration';
import { About } from '../../features/system/About';
import { McpServers } from '../../features/system/McpServers';
import { Providers } from '../../features/system/Providers';
import { Queue } from '../../features/system/Queue';
import { Services } from '../../features/system/Services';
import { Streams } from '../../features/system/Streams';
import { Warnings } from '../../features/system/Warnings';
import { Column, TwoColumns } from '../../ui/layout/layout';

/** The panels of the system page. They appear together: on a narrow screen each would move those below it. */
export default function SystemPanels() {
  return (
    <TwoColumns from="md" sideWidthPx={360}>
      <Column>
        <Warnings />
        <McpServers />
        <Services />
        <Streams />
        <Configuration />
      </Column>
      <Column>
        <Queue />
        <Providers />
        <About />
      </Column>
    </TwoColumns>
  );
}
