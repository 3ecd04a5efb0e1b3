import {
  Checkbox,
  FormControl,
  FormControlLabel,
  FormGroup,
  FormHelperText,
  FormLabel,
  Radio,
  RadioGroup,
} from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { LoadState } from '../../ui/notices/LoadState';
import { Secondary } from '../../ui/layout/Secondary';
import { roles, type Draft, type DraftProblems } from './draft';
import { alertTypesQuery } from './queries';

interface GrantFieldsProps {
  readonly draft: Draft;
  readonly problems: DraftProblems;
  readonly change: (changes: Partial<Draft>) => void;
}

/** What the token grants: the submission of alerts of some types, or a role. */
export function GrantFields({ draft, problems, change }: GrantFieldsProps) {
  const label = useId();
  return (
    <>
      <FormControl>
        <FormLabel id={label}>For</FormLabel>
        <RadioGroup
          aria-labelledby={label}
          value={draft.kind}
          onChange={(_, kind) => change({ kind: kind === 'role' ? 'role' : 'source' })}
        >
          <FormControlLabel
            value="source"
            control={<Radio size="small" />}
            label="An alert source: it may only submit alerts"
          />
          <FormControlLabel
            value="role"
            control={<Radio size="small" />}
            label="A script: it has a role"
          />
        </RadioGroup>
      </FormControl>
      {draft.kind === 'source' ? (
        <AlertTypeChoices
          chosen={draft.alertTypes}
          problem={problems.alertTypes}
          choose={(alertTypes) => change({ alertTypes })}
        />
      ) : (
        <RoleChoices
          chosen={draft.role}
          problem={problems.role}
          choose={(role) => change({ role })}
        />
      )}
    </>
  );
}

interface AlertTypeChoicesProps {
  readonly chosen: readonly string[];
  readonly problem: string | undefined;
  readonly choose: (alertTypes: readonly string[]) => void;
}

function AlertTypeChoices({ chosen, problem, choose }: AlertTypeChoicesProps) {
  const label = useId();
  const help = useId();
  const query = useQuery(alertTypesQuery);
  const types = query.data?.alert_types ?? [];
  return (
    <FormControl error={problem !== undefined}>
      <FormLabel id={label}>Alert types</FormLabel>
      <LoadState query={query} noun="alert types" heightPx={64} />
      <FormGroup
        role="group"
        aria-labelledby={label}
        aria-describedby={problem === undefined ? undefined : help}
        sx={{ maxHeight: 220, overflowY: 'auto', flexWrap: 'nowrap' }}
      >
        {types.map(({ type }) => (
          <FormControlLabel
            key={type}
            label={type}
            control={
              <Checkbox
                size="small"
                checked={chosen.includes(type)}
                onChange={(_, on) =>
                  choose(on ? [...chosen, type] : chosen.filter((other) => other !== type))
                }
                slotProps={{ input: { 'aria-invalid': problem !== undefined } }}
              />
            }
          />
        ))}
      </FormGroup>
      {problem !== undefined && <FormHelperText id={help}>{problem}</FormHelperText>}
    </FormControl>
  );
}

interface RoleChoicesProps {
  readonly chosen: string;
  readonly problem: string | undefined;
  readonly choose: (role: string) => void;
}

function RoleChoices({ chosen, problem, choose }: RoleChoicesProps) {
  const label = useId();
  return (
    <FormControl error={problem !== undefined}>
      <FormLabel id={label}>Role</FormLabel>
      <RadioGroup aria-labelledby={label} value={chosen} onChange={(_, role) => choose(role)}>
        {roles.map(({ id, description }) => (
          <FormControlLabel
            key={id}
            value={id}
            control={<Radio size="small" />}
            label={
              <>
                {id} <Secondary component="span">{description}</Secondary>
              </>
            }
          />
        ))}
      </RadioGroup>
      {problem !== undefined && <FormHelperText>{problem}</FormHelperText>}
    </FormControl>
  );
}
