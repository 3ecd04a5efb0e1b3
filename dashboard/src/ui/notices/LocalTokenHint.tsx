import { Callout } from './Callout';

interface LocalTokenHintProps {
  /** What the user wants, as in "To …, open the address". */
  readonly activity: string;
}

/** Says how a browser gets what whoever decides something on this machine needs. */
export function LocalTokenHint({ activity }: LocalTokenHintProps) {
  return (
    <Callout tone="info" testId="local-token-hint">
      To {activity}, open the address that <code>tarsy up</code> printed, or run{' '}
      <code>tarsy open</code>, which prints it again.
    </Callout>
  );
}
