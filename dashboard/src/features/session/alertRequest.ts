/** The request that submits the alert of a session again. */
import type { SessionDetail } from '../../api/sessions';
import { curlPost } from '../../lib/curl';
import { endpoints } from '../../lib/paths';

export function alertAsCurl(session: SessionDetail, origin: string): string {
  const { alert_type, alert_data, runbook_url, slack_message_fingerprint } = session;
  return curlPost(`${origin}${endpoints.alerts}`, {
    ...(alert_type === null ? {} : { alert_type }),
    data: alert_data,
    ...(runbook_url === null || runbook_url === '' ? {} : { runbook: runbook_url }),
    ...tools(session.mcp_selection),
    ...(slack_message_fingerprint === null ? {} : { slack_message_fingerprint }),
  });
}

function tools(selection: SessionDetail['mcp_selection']): object {
  if (selection === null) return {};
  const { servers, without_servers, native_tools } = selection;
  return {
    mcp: {
      ...(servers.length > 0 ? { servers } : {}),
      ...(without_servers ? { without_servers } : {}),
      ...(Object.keys(native_tools).length > 0 ? { native_tools } : {}),
    },
  };
}
