-- An agent whose messages keep to no form is asked to conclude from what it has seen.
alter table agent_executions drop constraint agent_executions_conclusion_cause_check;
alter table agent_executions add constraint agent_executions_conclusion_cause_check
    check (conclusion_cause in ('iterations', 'budget', 'repetition', 'time', 'form'));
