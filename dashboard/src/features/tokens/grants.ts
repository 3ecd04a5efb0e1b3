import type { ApiToken } from '../../api/tokens';

/** What a token grants, as one line. */
export function grantText({ role, alert_types }: ApiToken): string {
  return role === null ? `Submits ${alert_types.join(', ')}` : `Role ${role}`;
}
