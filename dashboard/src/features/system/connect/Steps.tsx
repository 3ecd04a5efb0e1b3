import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { getLines, tryAddress, type ConnectionKind, type Values } from '../../../api/connections';
import { asApiError } from '../../../api/errors';
import { ConnectForm } from './ConnectForm';
import { Lines } from './Lines';
import { NewServer } from './NewServer';

/** The form, and what follows from it. */
export function Steps({ kind }: { readonly kind: ConnectionKind }) {
  const [values, setValues] = useState<Values>(() =>
    Object.fromEntries(kind.fields.map((field) => [field.name, field.default])),
  );
  const lines = useMutation({ mutationFn: getLines });
  const trial = useMutation({ mutationFn: tryAddress });
  const error = lines.error ?? trial.error;

  function change(name: string, value: string): void {
    setValues({ ...values, [name]: value });
    // Both belong to what was filled in before.
    lines.reset();
    trial.reset();
  }

  return (
    <>
      <ConnectForm
        kind={kind}
        values={values}
        change={change}
        error={error ? asApiError(error) : null}
        loading={lines.isPending}
        showLines={() => {
          trial.reset();
          lines.mutate({ kind: kind.name, fields: values });
        }}
        trial={{
          pending: trial.isPending,
          result: trial.data ?? null,
          start: () => {
            lines.reset();
            trial.mutate(values.url ?? '');
          },
        }}
      />
      {lines.data && (
        <>
          <Lines lines={lines.data} />
          <NewServer id={lines.data.server} />
        </>
      )}
    </>
  );
}
