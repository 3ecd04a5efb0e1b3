import { useEffect, useState } from 'react';
import type { ExampleAlert } from '../../api/alerts';
import type { SessionDetail } from '../../api/sessions';
import { deleteDraft, readDraft, storeDraft } from '../../lib/browser/drafts';
import {
  emptyDraft,
  fromSession,
  parseDraft,
  validate,
  type Draft,
  type DraftField,
  type DraftProblems,
} from './draft';
import type { ToolSelection } from './toolSelection';

/**
 * The state of the submit form, which survives a reload until it is sent. `source` is the id of the session that
 * fills it in once it is loaded, unless the user has changed its alert before.
 */
export function useDraft(source: string | null, session: SessionDetail | undefined) {
  const { draft, setDraft, discard } = useStoredDraft(source, session);
  const [problems, setProblems] = useState<DraftProblems>({});
  const [rejections, setRejections] = useState(0);
  const reject = () => setRejections((count) => count + 1);
  const examples = useExamples(draft, setDraft);

  return {
    ...examples,
    draft,
    discard,
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

function useStoredDraft(source: string | null, session: SessionDetail | undefined) {
  const name = source === null ? 'alert' : `alert:${source}`;
  const [stored] = useState(() => parseDraft(readDraft(name)));
  const [changed, setDraft] = useState(stored);
  useEffect(() => {
    if (changed !== null) storeDraft(name, changed);
  }, [name, changed]);
  const initial = session === undefined ? emptyDraft : fromSession(session);
  return { draft: changed ?? initial, setDraft, discard: () => deleteDraft(name) };
}

/** The selected example, and the one that waits for the user's consent to replace a text. */
function useExamples(draft: Draft, setDraft: (draft: Draft) => void) {
  const [example, setExample] = useState<string | null>(null);
  const [waiting, setWaiting] = useState<ExampleAlert | null>(null);
  function fillIn(selected: ExampleAlert): void {
    setDraft({ ...draft, data: selected.data, alertType: selected.alert_type ?? '' });
    setExample(selected.name);
    setWaiting(null);
  }
  return {
    /** Name of the selected example. */
    example,
    waiting,
    replace: fillIn,
    keepText: () => setWaiting(null),
    deselect: () => setExample(null),
    select(selected: ExampleAlert): void {
      if (draft.data.trim() !== '' && example === null) setWaiting(selected);
      else fillIn(selected);
    },
  };
}
