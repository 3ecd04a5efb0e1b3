import type { DefaultTools } from '../../api/system';
import { NativeToolChoices } from './NativeToolChoices';
import { ServerChoices } from './ServerChoices';
import type { ToolSelection } from './toolSelection';

interface ChoicesProps {
  readonly selection: ToolSelection;
  /** Undefined while they are loading. */
  readonly defaults: DefaultTools | undefined;
  readonly change: (selection: ToolSelection) => void;
}

/** The tools that an alert may select. */
export default function Choices({ selection, defaults, change }: ChoicesProps) {
  return (
    <>
      <ServerChoices
        allowed={defaults?.allowed_mcp_servers}
        selection={selection}
        change={change}
      />
      <NativeToolChoices selection={selection} defaults={defaults} change={change} />
    </>
  );
}
