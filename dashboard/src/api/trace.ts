/** The whole text of a tool's result, of which the timeline shows the beginning. */
import { z } from './zod';
import { endpoints } from '../lib/paths';
import { request, requestText } from './client';
import { ApiError } from './errors';
import { list, maybeNumber, text } from './fields';

const trace = z.object({
  stages: list(
    z.object({
      executions: list(
        z.object({ mcp_interactions: list(z.object({ id: text, call_number: maybeNumber })) }),
      ),
    }),
  ),
});

/** Where the whole result of a call is; the trace knows a call by its number. */
async function wholeResultPath(session: string, call: number, signal?: AbortSignal) {
  const { stages } = await request(trace, endpoints.trace(session), { signal });
  const found = stages
    .flatMap(({ executions }) => executions)
    .flatMap((execution) => execution.mcp_interactions)
    .find(({ call_number }) => call_number === call);
  if (!found) {
    const message = `Call ${call} is not in the record of this session.`;
    throw new ApiError({ status: 404, title: 'There is no such call', message });
  }
  return endpoints.wholeResult(session, found.id);
}

export async function getWholeResult(session: string, call: number, signal?: AbortSignal) {
  const path = await wholeResultPath(session, call, signal);
  return { path, text: await requestText(path, signal) };
}
