import { Alert, Box, Button, Snackbar } from '@mui/material';
import { useNavigate } from 'react-router';
import { Examples } from '../../features/submit/Examples';
import { SubmitForm } from '../../features/submit/SubmitForm';
import { toSubmission } from '../../features/submit/draft';
import { useDraft } from '../../features/submit/useDraft';
import { useSubmit } from '../../features/submit/useSubmit';
import { useMay } from '../../api/access';
import { pages } from '../../lib/paths';
import { useTitle } from '../../lib/useTitle';
import { PageHeading } from '../../ui/PageHeading';
import { TwoColumns } from '../../ui/layout';
import { NotPermitted } from '../RequirePermission';
import { ResubmissionNotice, useResubmission } from './resubmit';

export function SubmitPage() {
  useTitle('Submit an alert');
  return useMay('submit_alert') ? (
    <SubmitAlert />
  ) : (
    <NotPermitted activity="submit alerts" leastRole="responder" />
  );
}

function SubmitAlert() {
  const navigate = useNavigate();
  const resubmission = useResubmission();
  const form = useDraft(resubmission.session);
  const submit = useSubmit(
    (id) => void navigate(pages.session(id), { state: { submitted: true } }),
    form.reject,
  );

  function send(): void {
    if (form.validate()) submit.mutate(toSubmission(form.draft));
  }

  return (
    <>
      <PageHeading title="Submit an alert">
        Agents investigate the alert with their tools. Every step is shown live.
      </PageHeading>
      <ResubmissionNotice {...resubmission} />
      <TwoColumns from="md" sideWidthPx={340}>
        <SubmitForm
          draft={form.draft}
          problems={form.problems}
          error={submit.error}
          rejections={form.rejections}
          sending={submit.isPending || submit.isSuccess}
          change={form.change}
          changeTools={(tools) => {
            form.changeTools(tools);
            if (submit.error) submit.reset();
          }}
          send={send}
        />
        <Box sx={{ order: { xs: -1, md: 0 } }}>
          <Examples
            selected={form.example}
            onSelect={(example) => {
              form.selectExample(example);
              submit.reset();
            }}
          />
        </Box>
      </TwoColumns>
      <ReplacedNotice
        open={form.canUndo}
        onUndo={form.undoExample}
        onClose={form.discardReplaced}
      />
    </>
  );
}

interface ReplacedNoticeProps {
  readonly open: boolean;
  readonly onUndo: () => void;
  readonly onClose: () => void;
}

/** Offers to undo the replacement of the user's text by an example. */
function ReplacedNotice({ open, onUndo, onClose }: ReplacedNoticeProps) {
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
          <Button color="inherit" size="small" onClick={onUndo}>
            Undo
          </Button>
        }
      >
        The example replaced your text.
      </Alert>
    </Snackbar>
  );
}
