import { Badge } from './Badge';

/** Says that what a session shows comes from a record; nothing for a session of an alert. */
export function RecordedBadge({ origin }: { readonly origin: string }) {
  if (origin === 'alert') return null;
  return (
    <Badge
      tone="info"
      tooltip="Tool results come from a record; nothing was executed"
      testId="recorded-badge"
    >
      Recorded
    </Badge>
  );
}
