import { useState } from 'react';
import type { ExampleAlert } from '../../api/alerts';
import type { SessionDetail } from '../../api/sessions';
import {
  emptyDraft,
  fromSession,
  validate,
  type Draft,
  type DraftField,
  type DraftProblems,
} from './draft';
import type { ToolSelection } from './toolSelection';

/** The state of the submit form. A loaded session fills it in once. */
export function useDraft(session: SessionDetail | undefined) {
  const { draft, setDraft } = useInitialDraft(session);
  const [problems, setProblems] = useState<DraftProblems>({});
  const [rejections, setRejections] = useState(0);
  const reject = () => setRejections((count) => count + 1);
  const examples = useExamples(draft, setDraft);

  return {
    ...examples,
    draft,
    problems,
    rejections,
    reject,
    change(field: DraftField, value: string): void {
      setDraft({ ...draft, [field]: value });
      if (field === 'data') examples.deselect();
      setProblems({ ...problems, [field]: undefined });
    },
    changeTools(tools: ToolSelection): void {
      setDraft({ ...draft, tools });
      setProblems({ ...problems, tools: undefined });
    },
    selectExample(example: ExampleAlert): void {
      examples.select(example);
      setProblems({});
    },
    /** Returns whether the draft may be sent. */
    validate(): boolean {
      const found = validate(draft);
      const valid = Object.keys(found).length === 0;
      setProblems(found);
      if (!valid) reject();
      return valid;
    },
  };
}

function useInitialDraft(session: SessionDetail | undefined) {
  const [draft, setDraft] = useState(emptyDraft);
  const [filledFrom, setFilledFrom] = useState<string | null>(null);
  if (session !== undefined && filledFrom !== session.id) {
    setFilledFrom(session.id);
    setDraft(fromSession(session));
  }
  return { draft, setDraft };
}

/** The selected example, and the draft that it replaced if the user had entered one. */
function useExamples(draft: Draft, setDraft: (draft: Draft) => void) {
  const [example, setExample] = useState<string | null>(null);
  const [replaced, setReplaced] = useState<Draft | null>(null);
  return {
    /** Name of the selected example. */
    example,
    canUndo: replaced !== null,
    deselect: () => setExample(null),
    discardReplaced: () => setReplaced(null),
    select(selected: ExampleAlert): void {
      if (draft.data.trim() !== '' && example === null) setReplaced(draft);
      setDraft({ ...draft, data: selected.data, alertType: selected.alert_type ?? '' });
      setExample(selected.name);
    },
    undoExample(): void {
      if (replaced !== null) setDraft(replaced);
      setReplaced(null);
      setExample(null);
    },
  };
}
