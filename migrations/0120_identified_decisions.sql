-- How the sender of a decision was identified; null for decisions of earlier versions. A sender who is not identified decides nothing.
alter table tool_approvals add column decided_with text;
alter table tool_approvals add constraint tool_approvals_decided_with_check check (
    decided_with in ('local_token', 'proxy', 'sign_in', 'oidc_token', 'api_token', 'slack')
);
