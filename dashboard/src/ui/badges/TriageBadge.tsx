import { describeTriage } from '../../lib/session/triageLabels';
import { Badge } from './Badge';

interface TriageBadgeProps {
  readonly triage: string;
  readonly assignee: string | null;
}

/** The state of work of people on a session. */
export function TriageBadge({ triage, assignee }: TriageBadgeProps) {
  const { label, tone } = describeTriage(triage, assignee);
  return (
    <Badge tone={tone} tooltip="Who works on this session" testId="triage-badge">
      {label}
    </Badge>
  );
}
