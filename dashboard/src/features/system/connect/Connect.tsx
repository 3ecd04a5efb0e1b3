import { FormControl, FormControlLabel, FormLabel, Radio, RadioGroup } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { connectionKindsQuery, type ConnectionKind } from '../../../api/connections';
import { showBidiControls } from '../../../lib/text/bidi';
import { LoadState } from '../../../ui/notices/LoadState';
import { Panel } from '../../../ui/layout/Panel';
import { Secondary } from '../../../ui/layout/Secondary';
import { Column } from '../../../ui/layout/layout';
import { Steps } from './Steps';

interface ConnectProps {
  /** The name of the chosen kind; any other text chooses the first. */
  readonly chosen: string;
  readonly choose: (kind: string) => void;
}

/** Leads from a few values to a configured tool server. */
export function Connect({ chosen, choose }: ConnectProps) {
  const query = useQuery(connectionKindsQuery);
  const kinds = query.data?.kinds ?? [];
  const kind = kinds.find(({ name }) => name === chosen) ?? kinds[0];
  return (
    <Column>
      <LoadState query={query} noun="systems" heightPx={320} />
      {kind && (
        <>
          <Panel title="System" testId="connect-kinds">
            <KindChoice kinds={kinds} kind={kind} choose={choose} />
          </Panel>
          <Steps key={kind.name} kind={kind} />
        </>
      )}
    </Column>
  );
}

interface KindChoiceProps {
  readonly kinds: readonly ConnectionKind[];
  readonly kind: ConnectionKind;
  readonly choose: (kind: string) => void;
}

function KindChoice({ kinds, kind, choose }: KindChoiceProps) {
  const label = useId();
  return (
    <FormControl>
      <FormLabel id={label}>Connect</FormLabel>
      <RadioGroup
        row
        aria-labelledby={label}
        value={kind.name}
        onChange={(_, name) => choose(name)}
      >
        {kinds.map(({ name, title }) => (
          <FormControlLabel
            key={name}
            value={name}
            label={showBidiControls(title)}
            control={<Radio size="small" />}
          />
        ))}
      </RadioGroup>
      <Secondary sx={{ mt: 0.5 }}>{kind.description}</Secondary>
      {kind.requires && <Secondary sx={{ mt: 0.5 }}>Needs {kind.requires}</Secondary>}
    </FormControl>
  );
}
