import { Alert, Box, Button, Snackbar } from '@mui/material';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { ExampleAlert } from '../../api/alerts';
import { Examples } from '../../features/submit/Examples';
import { SubmitForm } from '../../features/submit/SubmitForm';
import {
  check,
  emptyDraft,
  fromSession,
  toSubmission,
  type DraftField,
  type DraftProblems,
} from '../../features/submit/draft';
import type { ToolChoice } from '../../features/submit/toolChoice';
import { useSubmit } from '../../features/submit/useSubmit';
import { pages } from '../../lib/paths';
import { useTitle } from '../../lib/useTitle';
import { PageHeading } from '../../ui/PageHeading';
import { Earlier, useEarlier } from './earlier';

export function SubmitPage() {
  useTitle('Submit an alert');
  const navigate = useNavigate();
  const { draft, setDraft, earlier } = useDraft();
  const [chosen, setChosen] = useState<string | null>(null);
  const [problems, setProblems] = useState<DraftProblems>({});
  const [replaced, setReplaced] = useState<typeof draft | null>(null);
  const [refusals, setRefusals] = useState(0);
  const refused = () => setRefusals((before) => before + 1);
  const submit = useSubmit(
    (id) => void navigate(pages.session(id), { state: { submitted: true } }),
    refused,
  );

  function change(field: DraftField, value: string): void {
    setDraft({ ...draft, [field]: value });
    if (field === 'data') setChosen(null);
    setProblems({ ...problems, [field]: undefined });
  }

  function changeTools(tools: ToolChoice): void {
    setDraft({ ...draft, tools });
    setProblems({ ...problems, tools: undefined });
    if (submit.error) submit.reset();
  }

  function choose(example: ExampleAlert): void {
    const own = draft.data.trim() !== '' && chosen === null;
    if (own) setReplaced(draft);
    setDraft({ ...draft, data: example.data, alertType: example.alert_type ?? '' });
    setProblems({});
    setChosen(example.name);
    submit.reset();
  }

  function takeBack(): void {
    if (replaced !== null) setDraft(replaced);
    setReplaced(null);
    setChosen(null);
  }

  function send(): void {
    const found = check(draft);
    setProblems(found);
    if (Object.keys(found).length === 0) submit.mutate(toSubmission(draft));
    else refused();
  }

  return (
    <>
      <PageHeading title="Submit an alert">
        Agents investigate it with their tools; you see every step as it happens.
      </PageHeading>
      <Earlier {...earlier} />
      <Box
        sx={{
          display: 'grid',
          gap: 2,
          alignItems: 'start',
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'minmax(0, 1fr) 340px' },
        }}
      >
        <SubmitForm
          draft={draft}
          problems={problems}
          error={submit.error}
          refusals={refusals}
          sending={submit.isPending || submit.isSuccess}
          change={change}
          changeTools={changeTools}
          send={send}
        />
        <Box sx={{ order: { xs: -1, md: 0 } }}>
          <Examples chosen={chosen} choose={choose} />
        </Box>
      </Box>
      <Replaced open={replaced !== null} takeBack={takeBack} onClose={() => setReplaced(null)} />
    </>
  );
}

/** What is being written; an earlier alert fills it once. */
function useDraft() {
  const [draft, setDraft] = useState(emptyDraft);
  const earlier = useEarlier();
  const [filled, setFilled] = useState<string | null>(null);
  if (earlier.session !== undefined && filled !== earlier.session.id) {
    setFilled(earlier.session.id);
    setDraft(fromSession(earlier.session));
  }
  return { draft, setDraft, earlier };
}

interface ReplacedProps {
  readonly open: boolean;
  readonly takeBack: () => void;
  readonly onClose: () => void;
}

/** Offers the text back that an example took the place of. */
function Replaced({ open, takeBack, onClose }: ReplacedProps) {
  return (
    <Snackbar
      open={open}
      autoHideDuration={15_000}
      onClose={(_, reason) => {
        if (reason !== 'clickaway') onClose();
      }}
    >
      <Alert
        severity="info"
        data-testid="example-replaced"
        action={
          <Button color="inherit" size="small" onClick={takeBack}>
            Undo
          </Button>
        }
      >
        The example took the place of your text.
      </Alert>
    </Snackbar>
  );
}
