/** The postmortem of an incident, made of the record of a session. */
import { endpoints } from '../lib/paths';
import { requestText } from './client';

export function getPostmortem(id: string, signal?: AbortSignal) {
  return requestText(endpoints.postmortem(id), signal);
}
