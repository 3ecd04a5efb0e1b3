/** The component of each event type. Unlisted types are rendered by `Unknown`. */
import { createElement, type ReactElement } from 'react';
import type { TimelineItem } from '../../live/reduce';
import type { Kind } from './kinds';
import { ActionOutcome } from './kinds/ActionOutcome';
import { AlertReceived } from './kinds/AlertReceived';
import { BudgetReached } from './kinds/BudgetReached';
import { CodeExecution } from './kinds/CodeExecution';
import { ErrorEvent } from './kinds/ErrorEvent';
import { ExecutiveSummary } from './kinds/ExecutiveSummary';
import { FinalAnalysis } from './kinds/FinalAnalysis';
import { InjectedInstructions } from './kinds/InjectedInstructions';
import { ProviderFallback } from './kinds/ProviderFallback';
import { Response } from './kinds/Response';
import { SearchResult } from './kinds/SearchResult';
import { Thinking } from './kinds/Thinking';
import { ToolApproval } from './kinds/ToolApproval';
import { ToolCall } from './kinds/ToolCall';
import { ToolSummary } from './kinds/ToolSummary';
import { Unknown } from './kinds/Unknown';
import { UrlContext } from './kinds/UrlContext';
import { UserQuestion } from './kinds/UserQuestion';

const registry: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['llm_thinking', Thinking],
  ['llm_response', Response],
  ['llm_tool_call', ToolCall],
  ['tool_approval', ToolApproval],
  ['mcp_tool_summary', ToolSummary],
  ['error', ErrorEvent],
  ['provider_fallback', ProviderFallback],
  ['budget_reached', BudgetReached],
  ['alert_received', AlertReceived],
  ['action_outcome', ActionOutcome],
  ['injected_instructions', InjectedInstructions],
  ['user_question', UserQuestion],
  ['executive_summary', ExecutiveSummary],
  ['final_analysis', FinalAnalysis],
  ['code_execution', CodeExecution],
  ['google_search_result', SearchResult],
  ['url_context_result', UrlContext],
]);

export function renderItem(item: TimelineItem, summary?: TimelineItem): ReactElement {
  return createElement(registry.get(item.event_type) ?? Unknown, { item, summary });
}
