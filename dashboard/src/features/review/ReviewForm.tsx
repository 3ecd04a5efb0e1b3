import {
  Box,
  Button,
  FormControl,
  FormControlLabel,
  FormLabel,
  Radio,
  RadioGroup,
  TextField,
} from '@mui/material';
import { useEffect, useId, useState, type FormEvent } from 'react';
import { asApiError, type ApiError, type FieldProblem } from '../../api/errors';
import { MAX_REVIEW_LENGTHS } from '../../api/reviews';
import { deleteDraft, storeDraft } from '../../lib/browser/drafts';
import { describeReview, REVIEWS } from '../../lib/session/review';
import { isSendKey } from '../../lib/browser/sendKey';
import { Callout } from '../../ui/notices/Callout';
import { Secondary } from '../../ui/layout/Secondary';
import { TraceId } from '../../ui/text/TraceId';
import {
  draftName,
  emptyDraft,
  isEmpty,
  loadDraft,
  problemOf,
  TEXT_FIELDS,
  type ReviewDraft,
  type TextField as FieldName,
} from './draft';
import { useSaveReview } from './useSaveReview';

interface ReviewFormProps {
  /** Session id. */
  readonly session: string;
  readonly onSaved: () => void;
}

/** The form of a review. What was entered stays until it is saved. */
export function ReviewForm({ session, onSaved }: ReviewFormProps) {
  const { draft, change, discard } = useStoredDraft(session);
  const save = useSaveReview(session, () => {
    discard();
    onSaved();
  });
  const incomplete = draft.review === '';
  const error = save.error === null ? null : asApiError(save.error);

  function submit(event?: FormEvent): void {
    event?.preventDefault();
    if (!incomplete && !save.isPending) save.mutate(draft);
  }

  return (
    <Box
      component="form"
      onSubmit={submit}
      onKeyDown={(event) => {
        if (isSendKey(event)) submit();
      }}
      data-testid="review-form"
      sx={{ display: 'grid', gap: 1.5 }}
    >
      <Choice value={draft.review} onChange={(review) => change({ review })} />
      {!incomplete && <Texts draft={draft} problems={error?.fields ?? []} onChange={change} />}
      {error && <SaveError error={error} />}
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1.5 }}>
        <Button
          type="submit"
          variant="outlined"
          size="small"
          disabled={incomplete || save.isPending}
          data-testid="save-review"
        >
          {save.isPending ? 'Saving…' : 'Save review'}
        </Button>
        <Secondary component="span">
          {incomplete ? 'Choose one to save.' : 'Ctrl+Enter or ⌘+Enter saves.'}
        </Secondary>
      </Box>
    </Box>
  );
}

/** The draft, which survives a reload of the tab. */
function useStoredDraft(session: string) {
  const [draft, setDraft] = useState(() => loadDraft(session));
  useEffect(() => {
    if (isEmpty(draft)) deleteDraft(draftName(session));
    else storeDraft(draftName(session), draft);
  }, [session, draft]);
  const change = (changes: Partial<ReviewDraft>) =>
    setDraft((current) => ({ ...current, ...changes }));
  return { draft, change, discard: () => setDraft(emptyDraft) };
}

interface ChoiceProps {
  readonly value: string;
  readonly onChange: (review: string) => void;
}

function Choice({ value, onChange }: ChoiceProps) {
  const label = useId();
  return (
    <FormControl>
      <FormLabel id={label} sx={{ fontSize: '0.8125rem' }}>
        Is the finding right?
      </FormLabel>
      <RadioGroup
        row
        aria-labelledby={label}
        value={value}
        onChange={(_, review) => onChange(review)}
      >
        {REVIEWS.map((review) => (
          <FormControlLabel
            key={review}
            value={review}
            control={<Radio size="small" />}
            label={describeReview(review).label}
          />
        ))}
      </RadioGroup>
    </FormControl>
  );
}

const fields: Readonly<Record<FieldName, { readonly label: string; readonly help: string }>> = {
  actual_cause: {
    label: 'Actual cause (optional)',
    help: 'Later investigations of the same problem read it.',
  },
  object: {
    label: 'Object (optional)',
    help: 'Where the cause was, such as shop/broker.',
  },
  category: {
    label: 'Category (optional)',
    help: 'The kind of cause, such as configuration.',
  },
};

interface TextsProps {
  readonly draft: ReviewDraft;
  readonly problems: readonly FieldProblem[];
  readonly onChange: (changes: Partial<ReviewDraft>) => void;
}

function Texts({ draft, problems, onChange }: TextsProps) {
  return (
    <Box sx={{ display: 'grid', gap: 1.5, gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr' } }}>
      {TEXT_FIELDS.map((name) => {
        const problem = problemOf(problems, name);
        const long = name === 'actual_cause';
        return (
          <TextField
            key={name}
            label={fields[name].label}
            value={draft[name]}
            onChange={(event) => onChange({ [name]: event.target.value })}
            error={problem !== undefined}
            helperText={problem ?? fields[name].help}
            multiline={long}
            minRows={long ? 2 : undefined}
            size="small"
            sx={long ? { gridColumn: '1 / -1' } : {}}
            slotProps={{ htmlInput: { maxLength: MAX_REVIEW_LENGTHS[name], dir: 'auto' } }}
          />
        );
      })}
    </Box>
  );
}

/** Why the review was not saved, and what to do. */
function SaveError({ error }: { readonly error: ApiError }) {
  return (
    <Callout tone="error" title="The review was not saved" testId="review-error">
      {error.message} {whatToDo(error)}
      <TraceId error={error} />
    </Callout>
  );
}

function whatToDo({ status, transient }: ApiError): string {
  if (transient) return 'What you entered is kept. Save it again in a moment.';
  if (status === 400) return 'Correct the marked fields and save it again.';
  if (status === 403) return 'Ask an administrator of TARSy for the role responder.';
  return 'What you entered is kept. Reload the page to see the current state.';
}
