import { Box, Link, Skeleton } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Link as RouterLink, useNavigate, useSearchParams } from 'react-router';
import { DemoButton } from '../../features/demo/DemoButton';
import { Examples } from '../../features/submit/Examples';
import { exampleAlertsQuery } from '../../features/submit/queries';
import { toSubmission } from '../../features/submit/draft';
import { useDraft } from '../../features/submit/useDraft';
import { useSubmit } from '../../features/submit/useSubmit';
import { useMay } from '../../api/access';
import { pages } from '../../lib/browser/paths';
import { useTitle } from '../../lib/browser/useTitle';
import { PageHeading } from '../../ui/layout/PageHeading';
import { TwoColumns } from '../../ui/layout/layout';
import { NotPermitted } from '../RequirePermission';
import { ResubmissionNotice, useResubmission } from './resubmit';

const SubmitForm = lazy(async () => ({
  default: (await import('../../features/submit/SubmitForm')).SubmitForm,
}));

const ReplaceDialog = lazy(async () => ({
  default: (await import('../../features/submit/ReplaceDialog')).ReplaceDialog,
}));

export function SubmitPage() {
  useTitle('Submit an alert');
  const [search] = useSearchParams();
  return useMay('submit_alert') ? (
    <SubmitAlert key={search.get('resubmit')} />
  ) : (
    <NotPermitted activity="submit alerts" leastRole="responder" />
  );
}

function Heading() {
  return (
    <PageHeading title="Submit an alert">
      Agents investigate the alert with their tools. Every step is shown live.{' '}
      <Link component={RouterLink} to={pages.schedules}>
        Schedules
      </Link>{' '}
      begin investigations by the calendar.
    </PageHeading>
  );
}

function SubmitAlert() {
  const navigate = useNavigate();
  const resubmission = useResubmission();
  const form = useDraft(resubmission.id, resubmission.session);
  const submit = useSubmit((id, warnings) => {
    form.discard();
    void navigate(pages.session(id), { state: { submitted: true, warnings } });
  }, form.reject);

  function send(): void {
    if (form.validate()) submit.mutate(toSubmission(form.draft, resubmission.session));
  }

  // On a narrow screen the examples are above the form, and would move it.
  const examples = useQuery(exampleAlertsQuery);
  const loading = <Skeleton variant="rounded" height={420} />;

  return (
    <>
      <Heading />
      <ResubmissionNotice {...resubmission} />
      <TwoColumns from="md" sideWidthPx={340}>
        <Suspense fallback={loading}>
          {examples.isPending ? (
            loading
          ) : (
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
          )}
        </Suspense>
        <Box sx={{ order: { xs: -1, md: 0 } }}>
          <Box sx={{ mb: 2 }}>
            <DemoButton />
          </Box>
          <Examples
            selected={form.example}
            onSelect={(example) => {
              form.selectExample(example);
              submit.reset();
            }}
          />
        </Box>
      </TwoColumns>
      <Replacement form={form} />
    </>
  );
}

/** Asks before an example replaces the text of the user. */
function Replacement({ form }: { readonly form: ReturnType<typeof useDraft> }) {
  const { waiting, keepText, replace } = form;
  if (!waiting) return null;
  return (
    <Suspense fallback={null}>
      <ReplaceDialog
        example={waiting.title}
        onCancel={keepText}
        onReplace={() => replace(waiting)}
      />
    </Suspense>
  );
}
