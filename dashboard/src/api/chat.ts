/** Chat about a finished session. */
import { z } from './zod';
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { text } from './fields';

const acceptedQuestion = z.object({ chat_id: text, message_id: text, stage_id: text });

export function askQuestion(sessionId: string, content: string) {
  return request(acceptedQuestion, endpoints.chatMessages(sessionId), {
    method: 'POST',
    body: { content },
  });
}
