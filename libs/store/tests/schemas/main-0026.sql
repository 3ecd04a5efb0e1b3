--
-- PostgreSQL database dump
--


-- Dumped from database version 18.6
-- Dumped by pg_dump version 18.6

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: _sqlx_migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public._sqlx_migrations (
    version bigint NOT NULL,
    description text NOT NULL,
    installed_on timestamp with time zone DEFAULT now() NOT NULL,
    success boolean NOT NULL,
    checksum bytea NOT NULL,
    execution_time bigint NOT NULL
);


--
-- Name: agent_executions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.agent_executions (
    id uuid NOT NULL,
    stage_id uuid NOT NULL,
    session_id uuid NOT NULL,
    agent_name text NOT NULL,
    agent_index integer NOT NULL,
    iteration_strategy text NOT NULL,
    llm_provider text,
    status text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    completed_at timestamp with time zone,
    CONSTRAINT agent_executions_agent_index_check CHECK ((agent_index >= 1)),
    CONSTRAINT agent_executions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'completed'::text, 'failed'::text, 'timed_out'::text, 'cancelled'::text])))
);


--
-- Name: alert_sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.alert_sessions (
    id uuid NOT NULL,
    alert_data text NOT NULL,
    alert_type text,
    chain_id text NOT NULL,
    status text NOT NULL,
    author text,
    runbook_url text,
    mcp_selection jsonb,
    slack_message_fingerprint text,
    idempotency_key text,
    config_snapshot jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    completed_at timestamp with time zone,
    last_interaction_at timestamp with time zone,
    current_stage_index integer,
    current_stage_id uuid,
    final_analysis text,
    executive_summary text,
    executive_summary_error text,
    error_message text,
    deleted_at timestamp with time zone,
    duration_ms bigint GENERATED ALWAYS AS (((EXTRACT(epoch FROM (completed_at - started_at)) * (1000)::numeric))::bigint) STORED,
    search tsvector GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, translate((((((((((((("left"(alert_data, 80000) || ' '::text) || "left"(COALESCE(final_analysis, ''::text), 80000)) || ' '::text) || "left"(COALESCE(executive_summary, ''::text), 8000)) || ' '::text) || "left"(COALESCE(error_message, ''::text), 4000)) || ' '::text) || "left"(COALESCE(alert_type, ''::text), 200)) || ' '::text) || "left"(chain_id, 200)) || ' '::text) || "left"(COALESCE(author, ''::text), 200)), '-_./\:@=,;+#%&?!()[]{}<>"''`|*~^$'::text, '                                 '::text))) STORED,
    planned_stages integer GENERATED ALWAYS AS (
CASE
    WHEN (jsonb_typeof((config_snapshot -> 'stages'::text)) = 'array'::text) THEN (jsonb_array_length((config_snapshot -> 'stages'::text)) + jsonb_array_length(jsonb_path_query_array(config_snapshot, '$."stages"[*]."synthesis"?(@ != null)'::jsonpath)))
    ELSE NULL::integer
END) STORED,
    runbook text,
    runbook_error text,
    CONSTRAINT alert_sessions_check CHECK (((completed_at IS NOT NULL) = (status = ANY (ARRAY['completed'::text, 'failed'::text, 'timed_out'::text, 'cancelled'::text])))),
    CONSTRAINT alert_sessions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'in_progress'::text, 'cancelling'::text, 'completed'::text, 'failed'::text, 'timed_out'::text, 'cancelled'::text])))
);


--
-- Name: chat_user_messages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chat_user_messages (
    id uuid NOT NULL,
    chat_id uuid NOT NULL,
    content text NOT NULL,
    author text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: chats; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chats (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    created_by text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_interaction_at timestamp with time zone
);


--
-- Name: dead_letters; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.dead_letters (
    id uuid NOT NULL,
    subject text NOT NULL,
    payload bytea NOT NULL,
    error text NOT NULL,
    deliveries bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    retried_at timestamp with time zone
);


--
-- Name: events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.events (
    session_id uuid NOT NULL,
    seq bigint NOT NULL,
    type text NOT NULL,
    payload jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    published_at timestamp with time zone,
    CONSTRAINT events_seq_check CHECK ((seq >= 1))
);


--
-- Name: idempotency_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.idempotency_keys (
    key text NOT NULL,
    session_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: llm_interactions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.llm_interactions (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    stage_id uuid,
    execution_id uuid,
    interaction_type text NOT NULL,
    model_name text NOT NULL,
    last_message_id uuid,
    llm_request jsonb NOT NULL,
    llm_response jsonb NOT NULL,
    thinking_content text,
    response_metadata jsonb,
    input_tokens integer,
    output_tokens integer,
    total_tokens integer,
    thinking_tokens integer,
    duration_ms bigint,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    timed_out boolean DEFAULT false NOT NULL,
    CONSTRAINT llm_interactions_interaction_type_check CHECK ((interaction_type = ANY (ARRAY['iteration'::text, 'final_analysis'::text, 'executive_summary'::text, 'chat_response'::text, 'summarization'::text, 'synthesis'::text, 'forced_conclusion'::text])))
);


--
-- Name: mcp_interactions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.mcp_interactions (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    stage_id uuid,
    execution_id uuid,
    status text NOT NULL,
    call_id uuid NOT NULL,
    gateway_instance text,
    interaction_type text NOT NULL,
    server_name text NOT NULL,
    tool_name text,
    tool_call_id text,
    tool_arguments jsonb,
    tool_result text,
    available_tools jsonb,
    timeline_event_id uuid,
    duration_ms bigint,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    call_number bigint,
    refused_by_policy boolean DEFAULT false NOT NULL,
    CONSTRAINT mcp_interactions_call_number_check CHECK ((call_number >= 1)),
    CONSTRAINT mcp_interactions_check CHECK (((interaction_type <> 'tool_call'::text) OR (call_number IS NOT NULL))),
    CONSTRAINT mcp_interactions_interaction_type_check CHECK ((interaction_type = ANY (ARRAY['tool_call'::text, 'tool_list'::text]))),
    CONSTRAINT mcp_interactions_status_check CHECK ((status = ANY (ARRAY['started'::text, 'completed'::text, 'failed'::text, 'unknown'::text])))
);


--
-- Name: mcp_oauth_tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.mcp_oauth_tokens (
    server_id text NOT NULL,
    sealed bytea NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: messages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.messages (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    stage_id uuid NOT NULL,
    execution_id uuid NOT NULL,
    sequence_number integer NOT NULL,
    role text NOT NULL,
    content text NOT NULL,
    tool_calls jsonb,
    tool_call_id text,
    tool_name text,
    provider_state bytea,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT messages_role_check CHECK ((role = ANY (ARRAY['system'::text, 'user'::text, 'assistant'::text, 'tool'::text])))
);


--
-- Name: notification_destinations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notification_destinations (
    name text NOT NULL,
    registered_at timestamp with time zone DEFAULT now() CONSTRAINT notification_destinations_known_since_not_null NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: notifications; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notifications (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    kind text NOT NULL,
    destination text NOT NULL,
    status text NOT NULL,
    external_ref text,
    error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    claim bigint DEFAULT 0 NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    attempted_at timestamp with time zone,
    thread_ref text,
    finished_at timestamp with time zone,
    CONSTRAINT notifications_kind_check CHECK ((kind = ANY (ARRAY['started'::text, 'ended'::text]))),
    CONSTRAINT notifications_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sent'::text, 'failed'::text, 'skipped'::text])))
);


--
-- Name: session_control; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.session_control (
    session_id uuid NOT NULL,
    owner_id text,
    lease_epoch bigint DEFAULT 0 NOT NULL,
    lease_expires_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    cancel_requested_at timestamp with time zone,
    event_seq bigint DEFAULT 0 NOT NULL,
    timeline_seq bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    call_seq bigint DEFAULT 0 NOT NULL,
    CONSTRAINT session_control_attempts_check CHECK ((attempts >= 0))
)
WITH (fillfactor='50');


--
-- Name: stages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.stages (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    stage_name text NOT NULL,
    stage_index integer NOT NULL,
    expected_agent_count integer NOT NULL,
    parallel_type text,
    success_policy text,
    status text NOT NULL,
    error_message text,
    chat_id uuid,
    chat_user_message_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    completed_at timestamp with time zone,
    CONSTRAINT stages_expected_agent_count_check CHECK ((expected_agent_count >= 1)),
    CONSTRAINT stages_parallel_type_check CHECK ((parallel_type = ANY (ARRAY['multi_agent'::text, 'replica'::text]))),
    CONSTRAINT stages_stage_index_check CHECK ((stage_index >= 0)),
    CONSTRAINT stages_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'completed'::text, 'failed'::text, 'timed_out'::text, 'cancelled'::text]))),
    CONSTRAINT stages_success_policy_check CHECK ((success_policy = ANY (ARRAY['all'::text, 'any'::text])))
);


--
-- Name: summaries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.summaries (
    id uuid NOT NULL,
    mcp_interaction_id uuid NOT NULL,
    status text NOT NULL,
    owner_id text,
    lease_epoch bigint DEFAULT 0 NOT NULL,
    lease_expires_at timestamp with time zone,
    request jsonb NOT NULL,
    summary text,
    error text,
    usage jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    session_id uuid NOT NULL,
    timeline_event_id uuid,
    attempts integer DEFAULT 0 NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT summaries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'in_progress'::text, 'completed'::text, 'failed'::text])))
);


--
-- Name: timeline_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.timeline_events (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    stage_id uuid,
    execution_id uuid,
    sequence_number bigint NOT NULL,
    event_type text NOT NULL,
    status text NOT NULL,
    content text NOT NULL,
    metadata jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT timeline_events_event_type_check CHECK ((event_type = ANY (ARRAY['llm_thinking'::text, 'llm_response'::text, 'llm_tool_call'::text, 'mcp_tool_summary'::text, 'error'::text, 'user_question'::text, 'executive_summary'::text, 'final_analysis'::text, 'code_execution'::text, 'google_search_result'::text, 'url_context_result'::text, 'provider_fallback'::text, 'budget_reached'::text]))),
    CONSTRAINT timeline_events_sequence_number_check CHECK ((sequence_number >= 1)),
    CONSTRAINT timeline_events_status_check CHECK ((status = ANY (ARRAY['streaming'::text, 'completed'::text, 'failed'::text, 'cancelled'::text, 'timed_out'::text])))
);


--
-- Name: tool_results; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.tool_results (
    id uuid NOT NULL,
    interaction_id uuid NOT NULL,
    content text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Data for Name: _sqlx_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public._sqlx_migrations VALUES (1, 'sessions', '2026-11-25 20:45:04.039211+00', true, '\x4910b15b584e2b3e085a5ff59b641158e2609f736e6b9afafa33f30e95217e2e2b699ce03b923245d03584070551e30f', 1);
INSERT INTO public._sqlx_migrations VALUES (2, 'work', '2026-11-25 20:45:04.09871+00', true, '\x7c43f9457067da9e25f9320d84ccff79233e672753fb3968a6fdbc6c247cbcc4314e118090bca0239316e247e3ac5fba', 1);
INSERT INTO public._sqlx_migrations VALUES (3, 'timeline', '2026-11-25 20:45:04.188254+00', true, '\x7794ae41e156a0298ea516ca06b97e52debc1973c1b868f44f44f5e823b3b99162fe39423bb289226bd9c84383520fc7', 1);
INSERT INTO public._sqlx_migrations VALUES (4, 'interactions', '2026-11-25 20:45:04.236099+00', true, '\x89b1bf52a34aa3e61715b981a1946876d5845ab943674b29afe1714daab9ce96eba07e5061e4bf18f32c92cb5c49a27f', 1);
INSERT INTO public._sqlx_migrations VALUES (5, 'events', '2026-11-25 20:45:04.254618+00', true, '\x51530154f4b1a0182da025421375fc0f9a3e319bfe478f4e78dd1ca5ce7ad6eb6bcfe1d0595756b618667e1d0004dc14', 1);
INSERT INTO public._sqlx_migrations VALUES (6, 'delivery', '2026-11-25 20:45:04.273259+00', true, '\xc6b50155a55eb79209b357c0aa15a9c79b9ca2759b727992d0ca66d343ef4a244837a9481260695f0d13cdbcbae0b429', 1);
INSERT INTO public._sqlx_migrations VALUES (7, 'engine', '2026-11-25 20:45:04.310386+00', true, '\x6e3c1b730d2bbe7a783cfd5ebd5eb04d59f930b3a21e81f3505639c34471f527ea5900adfc931568c9d7af3026bf07fa', 1);
INSERT INTO public._sqlx_migrations VALUES (9, 'runbooks', '2026-11-25 20:45:04.340124+00', true, '\xb2bcedee83a57647b50a5a626ec85d0302f9097820140857152cf88c1ddad5786f01a9e942e534c792fe4f16f0ae0170', 1);
INSERT INTO public._sqlx_migrations VALUES (10, 'notifications', '2026-11-25 20:45:04.378203+00', true, '\x628f464ac39f861b2c7a926e15a6953f6ea6a5ee8cf138ce3bed64825484d4d37ff50590c8adac3974b34672d97bf419', 1);
INSERT INTO public._sqlx_migrations VALUES (13, 'oauth', '2026-11-25 20:45:04.41303+00', true, '\x686e3d906d798fd83552533bcb5475c9c9c4fa4713371b6c38d1da1d4457afa593c15e7990fc64c5df979f0d00a6ebac', 1);
INSERT INTO public._sqlx_migrations VALUES (14, 'summaries', '2026-11-25 20:45:04.436897+00', true, '\x6d99ae446cd995567d74842bc0ffb2d68f1c0562ab9ef08f7ef27d263bdad21a97a847999657df1d3c5a58d55c36ad31', 1);
INSERT INTO public._sqlx_migrations VALUES (20, 'engine', '2026-11-25 20:45:04.458044+00', true, '\x98b7629bc99538f6753507a394d32d8e8d90dc8a5e9967a272fb75c9e0c99a1cfad02e308d793ada78d659d57bf41a14', 1);
INSERT INTO public._sqlx_migrations VALUES (25, 'no inbox', '2026-11-25 20:45:04.514691+00', true, '\xbf02f837c6aa296e50830c63537288a2e703836c3894115dcb7ef2a20abe0507d99d82822628c499420307416bd49d75', 1);
INSERT INTO public._sqlx_migrations VALUES (26, 'notification columns', '2026-11-25 20:45:04.550333+00', true, '\x32f4811fac3b9f84eb62dd5908485230319898aef538f3efc1b9ae13afe16afe966b0635a786d344b8f91b3fcc0e9aec', 1);


--
-- Data for Name: agent_executions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.agent_executions VALUES ('01a21463-e510-7427-b4d6-c8bea09f87bc', '01a21463-e510-7427-b4d6-c8bda87856e8', '01a21463-e468-7380-a10e-72d6c21b2710', 'KubernetesAgent-1', 1, 'langchain', 'offline', 'active', NULL, '2026-11-25 20:27:00.753759+00', '2026-11-25 20:27:00.753759+00', NULL);
INSERT INTO public.agent_executions VALUES ('00000000-0000-7000-8000-000000000023', '00000000-0000-7000-8000-000000000012', '00000000-0000-7000-8000-000000000001', 'c', 1, 'native', 'first', 'active', NULL, '2026-11-25 20:26:58.60702+00', NULL, NULL);
INSERT INTO public.agent_executions VALUES ('00000000-0000-7000-8000-000000000021', '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000001', 'a', 1, 'native', 'first', 'completed', NULL, '2026-11-25 20:26:58.60702+00', NULL, NULL);
INSERT INTO public.agent_executions VALUES ('00000000-0000-7000-8000-000000000022', '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000001', 'b', 2, 'native', 'first', 'completed', NULL, '2026-11-25 20:26:58.60702+00', NULL, NULL);
INSERT INTO public.agent_executions VALUES ('01a21463-e5ca-7303-93c0-c90e796ba5d1', '01a21463-e5ca-7303-93c0-c90ddeb3d4eb', '01a21463-e57d-746a-a895-e3bd7e7ea792', 'KubernetesAgent-1', 1, 'langchain', 'offline', 'failed', NULL, '2026-11-25 20:27:00.938942+00', '2026-11-25 20:27:00.938942+00', '2026-11-25 20:27:01.052432+00');
INSERT INTO public.agent_executions VALUES ('01a21463-012c-7623-9094-bb1acd22a1b9', '01a21463-012c-7623-9094-bb19a2a773b9', '01a21463-00d4-742b-9cd3-b871ac84c802', 'KubernetesAgent-1', 1, 'langchain', 'offline', 'completed', NULL, '2026-11-25 20:26:02.412129+00', '2026-11-25 20:26:02.412129+00', '2026-11-25 20:26:02.432414+00');
INSERT INTO public.agent_executions VALUES ('01a21463-01b5-76d9-b540-8be1a568036d', '01a21463-01b3-7790-bbb5-dc0381f34e97', '01a21463-00d4-742b-9cd3-b871ac84c802', 'HostAgent', 1, 'langchain', 'offline', 'active', NULL, '2026-11-25 20:26:02.545762+00', '2026-11-25 20:26:02.617749+00', NULL);
INSERT INTO public.agent_executions VALUES ('01a21463-7c21-72ed-83d5-e8baaf1ddb6f', '01a21463-7c21-72ed-83d5-e8b942dec978', '01a21463-7be9-7273-ab4f-685ad74a2cd1', 'KubernetesAgent-1', 1, 'langchain', 'offline', 'failed', NULL, '2026-11-25 20:26:33.889245+00', '2026-11-25 20:26:33.889245+00', '2026-11-25 20:26:33.933554+00');
INSERT INTO public.agent_executions VALUES ('01a21463-7d2d-75f5-b5bb-8208d9d6b17e', '01a21463-7d2d-75f5-b5bb-82070249b944', '01a21463-7c9e-7307-976f-b5db2cd0a450', 'KubernetesAgent-1', 1, 'langchain', 'offline', 'failed', NULL, '2026-11-25 20:26:34.157315+00', '2026-11-25 20:26:34.157315+00', '2026-11-25 20:26:34.197739+00');
INSERT INTO public.agent_executions VALUES ('01a21462-f1ef-7300-9daa-4eca08496c59', '01a21462-f1ef-7300-9daa-4ec93851f913', '01a21462-f1b3-7782-8fe2-50802ea92fdc', 'KubernetesAgent-1', 1, 'langchain', 'offline', 'active', NULL, '2026-11-25 20:25:58.511985+00', '2026-11-25 20:25:58.511985+00', NULL);


--
-- Data for Name: alert_sessions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.alert_sessions VALUES ('01a21463-e468-7380-a10e-72d6c21b2710', 'the disk of web-7f9.default is full', 'kubernetes', 'kubernetes', 'in_progress', 'alice', NULL, NULL, NULL, NULL, '{"stages": [{"name": "triage"}, {"name": "fix"}]}', '2026-11-25 20:27:00.584887+00', '2026-11-25 20:27:00.682319+00', NULL, '2026-11-25 20:27:00.820325+00', 0, '01a21463-e510-7427-b4d6-c8bda87856e8', NULL, NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('00000000-0000-7000-8000-000000000002', 'disk', NULL, 'host', 'pending', NULL, NULL, NULL, NULL, NULL, '{"chat": null, "stages": []}', '2026-11-25 20:26:58.60702+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('00000000-0000-7000-8000-000000000001', 'disk', 'host', 'host', 'in_progress', NULL, NULL, NULL, NULL, NULL, '{"chat": {"name": "chat"}, "budget": {"tokens": 600, "llm_calls": 5, "tool_calls": 7}, "stages": [{"name": "triage", "synthesis": {"name": "joins"}}], "alert_type": "host", "session_timeout_ms": 90000}', '2026-11-25 20:26:58.60702+00', NULL, NULL, NULL, NULL, NULL, NULL, 'In short.', NULL, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a21463-e57d-746a-a895-e3bd7e7ea792', 'the disk of web-7f9.default is full', 'kubernetes', 'kubernetes', 'completed', 'alice', NULL, NULL, NULL, NULL, '{"stages": [{"name": "triage"}, {"name": "fix"}]}', '2026-11-25 20:27:00.861291+00', '2026-11-25 20:27:00.894493+00', '2026-11-25 20:27:01.052432+00', NULL, 0, '01a21463-e5ca-7303-93c0-c90ddeb3d4eb', NULL, NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 'the disk of web-7f9.default is full', 'kubernetes', 'kubernetes', 'completed', 'alice', NULL, NULL, NULL, NULL, '{"stages": [{"name": "triage"}, {"name": "fix"}]}', '2026-11-25 20:26:02.325129+00', '2026-11-25 20:26:02.373879+00', '2026-11-25 20:26:02.451752+00', '2026-11-25 20:26:02.629476+00', 0, '01a21463-012c-7623-9094-bb19a2a773b9', 'the disk is full', NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a21463-7be9-7273-ab4f-685ad74a2cd1', 'the disk of web-7f9.default is full', 'kubernetes', 'kubernetes', 'completed', 'alice', NULL, NULL, NULL, NULL, '{"stages": [{"name": "triage"}, {"name": "fix"}]}', '2026-11-25 20:26:33.833768+00', '2026-11-25 20:26:33.872099+00', '2026-11-25 20:26:33.933554+00', NULL, 0, '01a21463-7c21-72ed-83d5-e8b942dec978', 'three pods', NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a21463-7c9e-7307-976f-b5db2cd0a450', 'the disk of web-7f9.default is full', 'kubernetes', 'kubernetes', 'completed', 'ada', NULL, NULL, NULL, NULL, '{"stages": []}', '2026-11-25 20:26:34.01421+00', '2026-11-25 20:26:34.093909+00', '2026-11-25 20:26:34.197739+00', NULL, 0, '01a21463-7d2d-75f5-b5bb-82070249b944', 'three pods', NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a21463-c888-76d4-8370-6667ec329642', 'the disk of web-7f9.default is full', 'kubernetes', 'kubernetes', 'pending', 'alice', NULL, NULL, NULL, 'key', '{"stages": [{"name": "triage"}, {"name": "fix"}]}', '2026-11-25 20:26:53.449915+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a21463-4bfc-76de-9fcd-10526fa0f627', 'the disk of web-7f9.default is full', 'kubernetes', 'kubernetes', 'completed', 'alice', NULL, NULL, NULL, NULL, '{"stages": [{"name": "triage"}, {"name": "fix"}]}', '2026-11-25 20:26:21.564404+00', '2026-11-25 20:26:21.603476+00', '2026-11-25 20:26:21.651467+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a21463-4ffa-7271-82bf-2ff626895d7b', 'the disk of web-7f9.default is full', 'kubernetes', 'kubernetes', 'completed', 'alice', NULL, NULL, NULL, NULL, '{"stages": [{"name": "triage"}, {"name": "fix"}]}', '2026-11-25 20:26:22.586693+00', '2026-11-25 20:26:22.610179+00', '2026-11-25 20:26:22.616245+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a21462-f1b3-7782-8fe2-50802ea92fdc', 'the disk of web-7f9.default is full', 'kubernetes', 'kubernetes', 'in_progress', 'alice', NULL, NULL, NULL, NULL, '{"stages": [{"name": "triage"}, {"name": "fix"}]}', '2026-11-25 20:25:58.452066+00', '2026-11-25 20:25:58.499904+00', NULL, NULL, 0, '01a21462-f1ef-7300-9daa-4ec93851f913', NULL, NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, DEFAULT, NULL, NULL);


--
-- Data for Name: chat_user_messages; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.chat_user_messages VALUES ('01a21463-01b3-7790-bbb5-dc02441dd1e1', '01a21463-01b2-7092-9aa7-a9fbc74df6ca', 'why?', 'bob', '2026-11-25 20:26:02.545762+00');


--
-- Data for Name: chats; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.chats VALUES ('01a21463-01b2-7092-9aa7-a9fbc74df6ca', '01a21463-00d4-742b-9cd3-b871ac84c802', 'bob', '2026-11-25 20:26:02.545762+00', '2026-11-25 20:26:02.545762+00');


--
-- Data for Name: dead_letters; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.dead_letters VALUES ('00000000-0000-7000-8000-000000000042', 'notification.ops', '\x7b226e6f74696669636174696f6e5f6964223a202230303030303030302d303030302d373030302d383030302d303030303030303030303431227d', 'refused', 3, '2026-11-25 20:26:58.60702+00', '2026-11-25 20:26:58.776078+00');


--
-- Data for Name: events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.events VALUES ('01a21463-e468-7380-a10e-72d6c21b2710', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-25T20:27:00.584887Z", "session_id": "01a21463-e468-7380-a10e-72d6c21b2710", "db_event_id": 1}', '2026-11-25 20:27:00.584887+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e468-7380-a10e-72d6c21b2710', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-25T20:27:00.711820Z", "session_id": "01a21463-e468-7380-a10e-72d6c21b2710", "db_event_id": 2}', '2026-11-25 20:27:00.682319+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e468-7380-a10e-72d6c21b2710', 3, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a21463-e510-7427-b4d6-c8bda87856e8", "timestamp": "2026-11-25T20:27:00.753759Z", "session_id": "01a21463-e468-7380-a10e-72d6c21b2710", "stage_name": "triage", "db_event_id": 3, "stage_index": 1}', '2026-11-25 20:27:00.753759+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e468-7380-a10e-72d6c21b2710', 4, 'interaction.created', '{"type": "interaction.created", "stage_id": "01a21463-e510-7427-b4d6-c8bda87856e8", "timestamp": "2026-11-25T20:27:00.820325Z", "session_id": "01a21463-e468-7380-a10e-72d6c21b2710", "db_event_id": 4, "execution_id": "01a21463-e510-7427-b4d6-c8bea09f87bc", "interaction_id": "01a21463-e554-73dd-97e1-05f61fafe811", "interaction_type": "mcp"}', '2026-11-25 20:27:00.820325+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e468-7380-a10e-72d6c21b2710', 5, 'timeline_event.created', '{"type": "timeline_event.created", "status": "streaming", "content": "", "event_id": "01a21463-e554-73dd-97e1-05f762b4ce1a", "metadata": {"call_number": 1}, "stage_id": "01a21463-e510-7427-b4d6-c8bda87856e8", "timestamp": "2026-11-25T20:27:00.820325Z", "event_type": "llm_response", "session_id": "01a21463-e468-7380-a10e-72d6c21b2710", "db_event_id": 5, "execution_id": "01a21463-e510-7427-b4d6-c8bea09f87bc", "sequence_number": 1}', '2026-11-25 20:27:00.820325+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e468-7380-a10e-72d6c21b2710', 6, 'interaction.created', '{"type": "interaction.created", "stage_id": "01a21463-e510-7427-b4d6-c8bda87856e8", "timestamp": "2026-11-25T20:27:00.820325Z", "session_id": "01a21463-e468-7380-a10e-72d6c21b2710", "db_event_id": 6, "execution_id": "01a21463-e510-7427-b4d6-c8bea09f87bc", "interaction_id": "01a21463-e554-73dd-97e1-05f8fd8c8095", "interaction_type": "mcp"}', '2026-11-25 20:27:00.820325+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e468-7380-a10e-72d6c21b2710', 7, 'timeline_event.created', '{"type": "timeline_event.created", "status": "completed", "content": "", "event_id": "01a21463-e5b9-70bf-b4b2-1f2ea8ca1d53", "stage_id": "01a21463-e510-7427-b4d6-c8bda87856e8", "timestamp": "2026-11-25T20:27:00.921342Z", "event_type": "final_analysis", "session_id": "01a21463-e468-7380-a10e-72d6c21b2710", "db_event_id": 7, "execution_id": "01a21463-e510-7427-b4d6-c8bea09f87bc", "sequence_number": 2}', '2026-11-25 20:27:00.921342+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e468-7380-a10e-72d6c21b2710', 8, 'claims.checked', '{"text": "final_analysis", "type": "claims.checked", "claims": 4, "check_id": "01a21463-e5b9-70bf-b4b2-1f2f6ae60331", "verified": 3, "timestamp": "2026-11-25T20:27:00.921342Z", "session_id": "01a21463-e468-7380-a10e-72d6c21b2710", "db_event_id": 8, "execution_id": "01a21463-e510-7427-b4d6-c8bea09f87bc", "timeline_event_id": "01a21463-e5b9-70bf-b4b2-1f2ea8ca1d53"}', '2026-11-25 20:27:00.921342+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e57d-746a-a895-e3bd7e7ea792', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-25T20:27:00.861291Z", "session_id": "01a21463-e57d-746a-a895-e3bd7e7ea792", "db_event_id": 1}', '2026-11-25 20:27:00.861291+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e57d-746a-a895-e3bd7e7ea792', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-25T20:27:00.936476Z", "session_id": "01a21463-e57d-746a-a895-e3bd7e7ea792", "db_event_id": 2}', '2026-11-25 20:27:00.894493+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e57d-746a-a895-e3bd7e7ea792', 3, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a21463-e5ca-7303-93c0-c90ddeb3d4eb", "timestamp": "2026-11-25T20:27:00.938942Z", "session_id": "01a21463-e57d-746a-a895-e3bd7e7ea792", "stage_name": "triage", "db_event_id": 3, "stage_index": 1}', '2026-11-25 20:27:00.938942+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e57d-746a-a895-e3bd7e7ea792', 4, 'verdict.recorded', '{"type": "verdict.recorded", "timestamp": "2026-11-25T20:27:01.049585Z", "session_id": "01a21463-e57d-746a-a895-e3bd7e7ea792", "verdict_id": "01a21463-e5f2-77bd-96a5-5c4d2724d363", "db_event_id": 4}', '2026-11-25 20:27:01.049585+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e57d-746a-a895-e3bd7e7ea792', 5, 'stage.status', '{"type": "stage.status", "status": "failed", "stage_id": "01a21463-e5ca-7303-93c0-c90ddeb3d4eb", "timestamp": "2026-11-25T20:27:01.052432Z", "session_id": "01a21463-e57d-746a-a895-e3bd7e7ea792", "stage_name": "triage", "db_event_id": 5, "stage_index": 1}', '2026-11-25 20:27:01.052432+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e57d-746a-a895-e3bd7e7ea792', 6, 'session.status', '{"type": "session.status", "status": "completed", "timestamp": "2026-11-25T20:27:01.052432Z", "session_id": "01a21463-e57d-746a-a895-e3bd7e7ea792", "db_event_id": 6}', '2026-11-25 20:27:01.052432+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-25T20:26:02.325129Z", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "db_event_id": 1}', '2026-11-25 20:26:02.325129+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-25T20:26:02.386267Z", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "db_event_id": 2}', '2026-11-25 20:26:02.373879+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 3, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a21463-012c-7623-9094-bb19a2a773b9", "timestamp": "2026-11-25T20:26:02.412129Z", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "stage_name": "triage", "db_event_id": 3, "stage_index": 1}', '2026-11-25 20:26:02.412129+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 4, 'stage.status', '{"type": "stage.status", "status": "completed", "stage_id": "01a21463-012c-7623-9094-bb19a2a773b9", "timestamp": "2026-11-25T20:26:02.432414Z", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "stage_name": "triage", "db_event_id": 4, "stage_index": 1}', '2026-11-25 20:26:02.432414+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 5, 'session.status', '{"type": "session.status", "status": "completed", "timestamp": "2026-11-25T20:26:02.451752Z", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "db_event_id": 5}', '2026-11-25 20:26:02.451752+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 6, 'chat.created', '{"type": "chat.created", "chat_id": "01a21463-01b2-7092-9aa7-a9fbc74df6ca", "timestamp": "2026-11-25T20:26:02.545762Z", "created_by": "bob", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "db_event_id": 6}', '2026-11-25 20:26:02.545762+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 7, 'chat.user_message', '{"type": "chat.user_message", "author": "bob", "chat_id": "01a21463-01b2-7092-9aa7-a9fbc74df6ca", "content": "why?", "timestamp": "2026-11-25T20:26:02.545762Z", "message_id": "01a21463-01b3-7790-bbb5-dc02441dd1e1", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "db_event_id": 7}', '2026-11-25 20:26:02.545762+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 8, 'timeline_event.created', '{"type": "timeline_event.created", "status": "completed", "content": "why?", "event_id": "01a21463-01b5-76d9-b540-8be2d020ed86", "metadata": {"author": "bob"}, "stage_id": "01a21463-01b3-7790-bbb5-dc0381f34e97", "timestamp": "2026-11-25T20:26:02.545762Z", "event_type": "user_question", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "db_event_id": 8, "execution_id": "01a21463-01b5-76d9-b540-8be1a568036d", "sequence_number": 1}', '2026-11-25 20:26:02.545762+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 9, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a21463-01b3-7790-bbb5-dc0381f34e97", "timestamp": "2026-11-25T20:26:02.626797Z", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "stage_name": "Chat Response", "db_event_id": 9, "stage_index": 2}', '2026-11-25 20:26:02.617749+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 10, 'timeline_event.created', '{"type": "timeline_event.created", "status": "streaming", "content": "", "event_id": "01a21463-0205-71ef-b311-2471462446aa", "metadata": {"call_number": 1}, "stage_id": "01a21463-01b3-7790-bbb5-dc0381f34e97", "timestamp": "2026-11-25T20:26:02.629476Z", "event_type": "llm_response", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "db_event_id": 10, "execution_id": "01a21463-01b5-76d9-b540-8be1a568036d", "sequence_number": 2}', '2026-11-25 20:26:02.629476+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 11, 'interaction.created', '{"type": "interaction.created", "stage_id": "01a21463-01b3-7790-bbb5-dc0381f34e97", "timestamp": "2026-11-25T20:26:02.629476Z", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "db_event_id": 11, "execution_id": "01a21463-01b5-76d9-b540-8be1a568036d", "interaction_id": "01a21463-0205-71ef-b311-247304b308e1", "interaction_type": "mcp"}', '2026-11-25 20:26:02.629476+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 12, 'interaction.created', '{"type": "interaction.created", "stage_id": "01a21463-01b3-7790-bbb5-dc0381f34e97", "timestamp": "2026-11-25T20:26:02.629476Z", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "db_event_id": 12, "execution_id": "01a21463-01b5-76d9-b540-8be1a568036d", "interaction_id": "01a21463-0205-71ef-b311-24756e4480c9", "interaction_type": "llm"}', '2026-11-25 20:26:02.629476+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 13, 'interaction.created', '{"type": "interaction.created", "stage_id": "01a21463-01b3-7790-bbb5-dc0381f34e97", "timestamp": "2026-11-25T20:26:02.629476Z", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "db_event_id": 13, "execution_id": "01a21463-01b5-76d9-b540-8be1a568036d", "interaction_id": "01a21463-0205-71ef-b311-24724b87cbb2", "interaction_type": "llm"}', '2026-11-25 20:26:02.629476+00', NULL);
INSERT INTO public.events VALUES ('01a21463-7be9-7273-ab4f-685ad74a2cd1', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-25T20:26:33.833768Z", "session_id": "01a21463-7be9-7273-ab4f-685ad74a2cd1", "db_event_id": 1}', '2026-11-25 20:26:33.833768+00', NULL);
INSERT INTO public.events VALUES ('01a21463-7be9-7273-ab4f-685ad74a2cd1', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-25T20:26:33.879786Z", "session_id": "01a21463-7be9-7273-ab4f-685ad74a2cd1", "db_event_id": 2}', '2026-11-25 20:26:33.872099+00', NULL);
INSERT INTO public.events VALUES ('01a21463-7be9-7273-ab4f-685ad74a2cd1', 3, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a21463-7c21-72ed-83d5-e8b942dec978", "timestamp": "2026-11-25T20:26:33.889245Z", "session_id": "01a21463-7be9-7273-ab4f-685ad74a2cd1", "stage_name": "triage", "db_event_id": 3, "stage_index": 1}', '2026-11-25 20:26:33.889245+00', NULL);
INSERT INTO public.events VALUES ('01a21463-7be9-7273-ab4f-685ad74a2cd1', 4, 'stage.status', '{"type": "stage.status", "status": "failed", "stage_id": "01a21463-7c21-72ed-83d5-e8b942dec978", "timestamp": "2026-11-25T20:26:33.933554Z", "session_id": "01a21463-7be9-7273-ab4f-685ad74a2cd1", "stage_name": "triage", "db_event_id": 4, "stage_index": 1}', '2026-11-25 20:26:33.933554+00', NULL);
INSERT INTO public.events VALUES ('01a21463-7be9-7273-ab4f-685ad74a2cd1', 5, 'session.status', '{"type": "session.status", "status": "completed", "timestamp": "2026-11-25T20:26:33.933554Z", "session_id": "01a21463-7be9-7273-ab4f-685ad74a2cd1", "db_event_id": 5}', '2026-11-25 20:26:33.933554+00', NULL);
INSERT INTO public.events VALUES ('01a21463-7c9e-7307-976f-b5db2cd0a450', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-25T20:26:34.014210Z", "session_id": "01a21463-7c9e-7307-976f-b5db2cd0a450", "db_event_id": 1}', '2026-11-25 20:26:34.01421+00', NULL);
INSERT INTO public.events VALUES ('01a21463-7c9e-7307-976f-b5db2cd0a450', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-25T20:26:34.128244Z", "session_id": "01a21463-7c9e-7307-976f-b5db2cd0a450", "db_event_id": 2}', '2026-11-25 20:26:34.093909+00', NULL);
INSERT INTO public.events VALUES ('01a21463-7c9e-7307-976f-b5db2cd0a450', 3, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a21463-7d2d-75f5-b5bb-82070249b944", "timestamp": "2026-11-25T20:26:34.157315Z", "session_id": "01a21463-7c9e-7307-976f-b5db2cd0a450", "stage_name": "triage", "db_event_id": 3, "stage_index": 1}', '2026-11-25 20:26:34.157315+00', NULL);
INSERT INTO public.events VALUES ('01a21463-7c9e-7307-976f-b5db2cd0a450', 4, 'stage.status', '{"type": "stage.status", "status": "failed", "stage_id": "01a21463-7d2d-75f5-b5bb-82070249b944", "timestamp": "2026-11-25T20:26:34.197739Z", "session_id": "01a21463-7c9e-7307-976f-b5db2cd0a450", "stage_name": "triage", "db_event_id": 4, "stage_index": 1}', '2026-11-25 20:26:34.197739+00', NULL);
INSERT INTO public.events VALUES ('01a21463-7c9e-7307-976f-b5db2cd0a450', 5, 'session.status', '{"type": "session.status", "status": "completed", "timestamp": "2026-11-25T20:26:34.197739Z", "session_id": "01a21463-7c9e-7307-976f-b5db2cd0a450", "db_event_id": 5}', '2026-11-25 20:26:34.197739+00', NULL);
INSERT INTO public.events VALUES ('01a21463-c888-76d4-8370-6667ec329642', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-25T20:26:53.449915Z", "session_id": "01a21463-c888-76d4-8370-6667ec329642", "db_event_id": 1}', '2026-11-25 20:26:53.449915+00', NULL);
INSERT INTO public.events VALUES ('01a21463-4bfc-76de-9fcd-10526fa0f627', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-25T20:26:21.564404Z", "session_id": "01a21463-4bfc-76de-9fcd-10526fa0f627", "db_event_id": 1}', '2026-11-25 20:26:21.564404+00', NULL);
INSERT INTO public.events VALUES ('01a21463-4bfc-76de-9fcd-10526fa0f627', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-25T20:26:21.613098Z", "session_id": "01a21463-4bfc-76de-9fcd-10526fa0f627", "db_event_id": 2}', '2026-11-25 20:26:21.603476+00', NULL);
INSERT INTO public.events VALUES ('01a21463-4bfc-76de-9fcd-10526fa0f627', 3, 'session.status', '{"type": "session.status", "status": "completed", "timestamp": "2026-11-25T20:26:21.651467Z", "session_id": "01a21463-4bfc-76de-9fcd-10526fa0f627", "db_event_id": 3}', '2026-11-25 20:26:21.651467+00', NULL);
INSERT INTO public.events VALUES ('01a21463-4ffa-7271-82bf-2ff626895d7b', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-25T20:26:22.586693Z", "session_id": "01a21463-4ffa-7271-82bf-2ff626895d7b", "db_event_id": 1}', '2026-11-25 20:26:22.586693+00', NULL);
INSERT INTO public.events VALUES ('01a21463-4ffa-7271-82bf-2ff626895d7b', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-25T20:26:22.612109Z", "session_id": "01a21463-4ffa-7271-82bf-2ff626895d7b", "db_event_id": 2}', '2026-11-25 20:26:22.610179+00', NULL);
INSERT INTO public.events VALUES ('01a21463-4ffa-7271-82bf-2ff626895d7b', 3, 'session.status', '{"type": "session.status", "status": "completed", "timestamp": "2026-11-25T20:26:22.616245Z", "session_id": "01a21463-4ffa-7271-82bf-2ff626895d7b", "db_event_id": 3}', '2026-11-25 20:26:22.616245+00', NULL);
INSERT INTO public.events VALUES ('01a21462-f1b3-7782-8fe2-50802ea92fdc', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-25T20:25:58.452066Z", "session_id": "01a21462-f1b3-7782-8fe2-50802ea92fdc", "db_event_id": 1}', '2026-11-25 20:25:58.452066+00', NULL);
INSERT INTO public.events VALUES ('01a21462-f1b3-7782-8fe2-50802ea92fdc', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-25T20:25:58.501483Z", "session_id": "01a21462-f1b3-7782-8fe2-50802ea92fdc", "db_event_id": 2}', '2026-11-25 20:25:58.499904+00', NULL);
INSERT INTO public.events VALUES ('01a21462-f1b3-7782-8fe2-50802ea92fdc', 3, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a21462-f1ef-7300-9daa-4ec93851f913", "timestamp": "2026-11-25T20:25:58.511985Z", "session_id": "01a21462-f1b3-7782-8fe2-50802ea92fdc", "stage_name": "triage", "db_event_id": 3, "stage_index": 1}', '2026-11-25 20:25:58.511985+00', NULL);
INSERT INTO public.events VALUES ('01a21462-f1b3-7782-8fe2-50802ea92fdc', 4, 'timeline_event.created', '{"type": "timeline_event.created", "status": "streaming", "content": "", "event_id": "01a21462-f200-731f-931c-7c3fc51ea45d", "metadata": {"call_number": 1}, "stage_id": "01a21462-f1ef-7300-9daa-4ec93851f913", "timestamp": "2026-11-25T20:25:58.538554Z", "event_type": "llm_tool_call", "session_id": "01a21462-f1b3-7782-8fe2-50802ea92fdc", "db_event_id": 4, "execution_id": "01a21462-f1ef-7300-9daa-4eca08496c59", "sequence_number": 1}', '2026-11-25 20:25:58.538554+00', NULL);
INSERT INTO public.events VALUES ('01a21462-f1b3-7782-8fe2-50802ea92fdc', 5, 'interaction.created', '{"type": "interaction.created", "stage_id": "01a21462-f1ef-7300-9daa-4ec93851f913", "timestamp": "2026-11-25T20:25:58.538554Z", "session_id": "01a21462-f1b3-7782-8fe2-50802ea92fdc", "db_event_id": 5, "execution_id": "01a21462-f1ef-7300-9daa-4eca08496c59", "interaction_id": "01a21462-f200-731f-931c-7c41913d2ffa", "interaction_type": "mcp"}', '2026-11-25 20:25:58.538554+00', NULL);
INSERT INTO public.events VALUES ('01a21462-f1b3-7782-8fe2-50802ea92fdc', 6, 'timeline_event.created', '{"type": "timeline_event.created", "status": "streaming", "content": "", "event_id": "01a21462-f200-731f-931c-7c40b8ff66df", "stage_id": "01a21462-f1ef-7300-9daa-4ec93851f913", "timestamp": "2026-11-25T20:25:58.538554Z", "event_type": "tool_approval", "session_id": "01a21462-f1b3-7782-8fe2-50802ea92fdc", "db_event_id": 6, "execution_id": "01a21462-f1ef-7300-9daa-4eca08496c59", "sequence_number": 2}', '2026-11-25 20:25:58.538554+00', NULL);


--
-- Data for Name: idempotency_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.idempotency_keys VALUES ('key', '01a21463-c888-76d4-8370-6667ec329642', '2026-11-25 20:26:53.449915+00');


--
-- Data for Name: llm_interactions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.llm_interactions VALUES ('513c2988-f93a-44ac-b6bf-e78c713b2de1', '00000000-0000-7000-8000-000000000001', NULL, '00000000-0000-7000-8000-000000000023', 'iteration', 'm', NULL, '{"provider": "first"}', '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'late', '2026-11-25 20:26:58.60702+00', true);
INSERT INTO public.llm_interactions VALUES ('01a21463-0205-71ef-b311-24756e4480c9', '01a21463-00d4-742b-9cd3-b871ac84c802', '01a21463-01b3-7790-bbb5-dc0381f34e97', '01a21463-01b5-76d9-b540-8be1a568036d', 'iteration', 'offline', NULL, '{"messages": 2}', '{"text": "done"}', 'hm', NULL, 100, 20, 120, NULL, 7, NULL, '2026-11-25 20:26:02.629476+00', false);
INSERT INTO public.llm_interactions VALUES ('01a21463-0205-71ef-b311-24724b87cbb2', '01a21463-00d4-742b-9cd3-b871ac84c802', '01a21463-01b3-7790-bbb5-dc0381f34e97', '01a21463-01b5-76d9-b540-8be1a568036d', 'iteration', 'offline', NULL, '{"messages": 2}', '{"text": "done"}', 'hm', NULL, 100, 20, NULL, NULL, 7, NULL, '2026-11-25 20:26:02.629476+00', false);


--
-- Data for Name: mcp_interactions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.mcp_interactions VALUES ('01a21463-e554-73dd-97e1-05f61fafe811', '01a21463-e468-7380-a10e-72d6c21b2710', '01a21463-e510-7427-b4d6-c8bda87856e8', '01a21463-e510-7427-b4d6-c8bea09f87bc', 'completed', '01a21463-e565-7293-b46e-a9e99f9e8641', NULL, 'tool_list', 'kubernetes-server', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-25 20:27:00.820325+00', NULL, false);
INSERT INTO public.mcp_interactions VALUES ('01a21463-e554-73dd-97e1-05f8fd8c8095', '01a21463-e468-7380-a10e-72d6c21b2710', '01a21463-e510-7427-b4d6-c8bda87856e8', '01a21463-e510-7427-b4d6-c8bea09f87bc', 'completed', '01a21463-e554-73dd-97e1-05f9bc8dcf04', 'gateway-1', 'tool_call', 'kubernetes-server', 'pods_list', 'call_1', '{"namespace": "default"}', 'cut', NULL, '01a21463-e554-73dd-97e1-05f762b4ce1a', 5, NULL, '2026-11-25 20:27:00.820325+00', 1, false);
INSERT INTO public.mcp_interactions VALUES ('00000000-0000-7000-8000-000000000031', '00000000-0000-7000-8000-000000000001', NULL, '00000000-0000-7000-8000-000000000021', 'completed', '00000000-0000-7000-8000-000000000032', NULL, 'tool_call', 'host', NULL, NULL, NULL, NULL, NULL, '00000000-0000-7000-8000-000000000051', NULL, NULL, '2026-11-25 20:26:58.60702+00', 1, false);
INSERT INTO public.mcp_interactions VALUES ('01a21463-0205-71ef-b311-247304b308e1', '01a21463-00d4-742b-9cd3-b871ac84c802', '01a21463-01b3-7790-bbb5-dc0381f34e97', '01a21463-01b5-76d9-b540-8be1a568036d', 'started', '01a21463-0205-71ef-b311-2474ac7e907f', 'gateway-1', 'tool_call', 'kubernetes-server', 'pods_list', 'call_1', '{"namespace": "default"}', NULL, NULL, '01a21463-0205-71ef-b311-2471462446aa', NULL, NULL, '2026-11-25 20:26:02.629476+00', 1, false);
INSERT INTO public.mcp_interactions VALUES ('01a21462-f200-731f-931c-7c41913d2ffa', '01a21462-f1b3-7782-8fe2-50802ea92fdc', '01a21462-f1ef-7300-9daa-4ec93851f913', '01a21462-f1ef-7300-9daa-4eca08496c59', 'started', '01a21462-f200-731f-931c-7c42b8bc5f82', 'gateway-1', 'tool_call', 'kubernetes-server', 'pods_list', 'call_1', '{"namespace": "default"}', NULL, NULL, '01a21462-f200-731f-931c-7c3fc51ea45d', NULL, NULL, '2026-11-25 20:25:58.538554+00', 1, false);


--
-- Data for Name: mcp_oauth_tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.mcp_oauth_tokens VALUES ('jira', '\x6e6577', '2026-11-25 20:27:00.288483+00');


--
-- Data for Name: messages; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.messages VALUES ('17b9f451-c817-499d-9ffb-317cf2c75a20', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000012', '00000000-0000-7000-8000-000000000023', 2, 'user', 'All 3 iterations are used; no more tools can be called. Conclude now from what you have
seen, in the order', NULL, NULL, NULL, NULL, '2026-11-25 20:26:58.60702+00');


--
-- Data for Name: notification_destinations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.notification_destinations VALUES ('slack', '2026-11-25 20:26:33.831385+00', '2026-11-25 20:26:33.831385+00');


--
-- Data for Name: notifications; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.notifications VALUES ('00000000-0000-7000-8000-000000000041', '00000000-0000-7000-8000-000000000001', 'started', 'ops', 'pending', NULL, NULL, '2026-11-25 20:26:58.60702+00', 0, '2026-11-25 20:26:58.776078+00', 0, NULL, NULL, NULL);
INSERT INTO public.notifications VALUES ('01a21463-4c2f-7098-aed4-14c5689c8732', '01a21463-4bfc-76de-9fcd-10526fa0f627', 'started', 'a', 'sent', '17.2', NULL, '2026-11-25 20:26:21.626426+00', 1, '2026-11-25 20:36:21.646678+00', 0, NULL, NULL, '2026-11-25 20:26:21.651076+00');
INSERT INTO public.notifications VALUES ('01a21463-4c2f-7098-aed4-14c665aa241a', '01a21463-4bfc-76de-9fcd-10526fa0f627', 'ended', 'a', 'pending', NULL, NULL, '2026-11-25 20:26:21.626426+00', 1, '2026-11-25 20:36:21.695286+00', 0, NULL, NULL, NULL);
INSERT INTO public.notifications VALUES ('01a21463-502c-7186-9af4-da618e541c53', '01a21463-4ffa-7271-82bf-2ff626895d7b', 'ended', 'a', 'sent', '17.1', NULL, '2026-11-25 20:26:22.637121+00', 1, '2026-11-25 20:36:22.640836+00', 0, NULL, NULL, '2026-11-25 20:26:22.646058+00');


--
-- Data for Name: session_control; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.session_control VALUES ('01a21463-e468-7380-a10e-72d6c21b2710', 'owner', 1, '2026-11-25 20:37:00.71182+00', 1, NULL, 8, 2, '2026-11-25 20:27:00.584887+00', 1);
INSERT INTO public.session_control VALUES ('00000000-0000-7000-8000-000000000001', NULL, 0, NULL, 0, NULL, 0, 0, '2026-11-25 20:26:58.60702+00', 0);
INSERT INTO public.session_control VALUES ('00000000-0000-7000-8000-000000000002', NULL, 0, NULL, 0, NULL, 0, 0, '2026-11-25 20:26:58.60702+00', 0);
INSERT INTO public.session_control VALUES ('01a21463-e57d-746a-a895-e3bd7e7ea792', NULL, 2, NULL, 1, NULL, 6, 0, '2026-11-25 20:27:00.861291+00', 0);
INSERT INTO public.session_control VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 'owner', 3, '2026-11-25 20:36:02.626797+00', 1, NULL, 13, 2, '2026-11-25 20:26:02.325129+00', 1);
INSERT INTO public.session_control VALUES ('01a21463-7be9-7273-ab4f-685ad74a2cd1', NULL, 2, NULL, 1, NULL, 5, 0, '2026-11-25 20:26:33.833768+00', 0);
INSERT INTO public.session_control VALUES ('01a21463-7c9e-7307-976f-b5db2cd0a450', NULL, 2, NULL, 1, NULL, 5, 0, '2026-11-25 20:26:34.01421+00', 0);
INSERT INTO public.session_control VALUES ('01a21463-c888-76d4-8370-6667ec329642', NULL, 0, NULL, 0, NULL, 1, 0, '2026-11-25 20:26:53.449915+00', 0);
INSERT INTO public.session_control VALUES ('01a21463-4bfc-76de-9fcd-10526fa0f627', NULL, 2, NULL, 1, NULL, 3, 0, '2026-11-25 20:26:21.564404+00', 0);
INSERT INTO public.session_control VALUES ('01a21463-4ffa-7271-82bf-2ff626895d7b', NULL, 2, NULL, 1, NULL, 3, 0, '2026-11-25 20:26:22.586693+00', 0);
INSERT INTO public.session_control VALUES ('01a21462-f1b3-7782-8fe2-50802ea92fdc', 'owner', 1, '2026-11-25 20:35:58.501483+00', 1, NULL, 6, 2, '2026-11-25 20:25:58.452066+00', 1);


--
-- Data for Name: stages; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.stages VALUES ('01a21463-e510-7427-b4d6-c8bda87856e8', '01a21463-e468-7380-a10e-72d6c21b2710', 'triage', 0, 1, NULL, 'any', 'active', NULL, NULL, NULL, '2026-11-25 20:27:00.753759+00', '2026-11-25 20:27:00.753759+00', NULL);
INSERT INTO public.stages VALUES ('00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000001', 'triage', 0, 2, NULL, NULL, 'completed', NULL, NULL, NULL, '2026-11-25 20:26:58.60702+00', NULL, NULL);
INSERT INTO public.stages VALUES ('00000000-0000-7000-8000-000000000012', '00000000-0000-7000-8000-000000000001', 'triage - Synthesis', 1, 1, NULL, NULL, 'active', NULL, NULL, NULL, '2026-11-25 20:26:58.60702+00', NULL, NULL);
INSERT INTO public.stages VALUES ('01a21463-e5ca-7303-93c0-c90ddeb3d4eb', '01a21463-e57d-746a-a895-e3bd7e7ea792', 'triage', 0, 1, NULL, 'any', 'failed', NULL, NULL, NULL, '2026-11-25 20:27:00.938942+00', '2026-11-25 20:27:00.938942+00', '2026-11-25 20:27:01.052432+00');
INSERT INTO public.stages VALUES ('01a21463-012c-7623-9094-bb19a2a773b9', '01a21463-00d4-742b-9cd3-b871ac84c802', 'triage', 0, 1, NULL, 'any', 'completed', NULL, NULL, NULL, '2026-11-25 20:26:02.412129+00', '2026-11-25 20:26:02.412129+00', '2026-11-25 20:26:02.432414+00');
INSERT INTO public.stages VALUES ('01a21463-01b3-7790-bbb5-dc0381f34e97', '01a21463-00d4-742b-9cd3-b871ac84c802', 'Chat Response', 1, 1, NULL, NULL, 'active', NULL, '01a21463-01b2-7092-9aa7-a9fbc74df6ca', '01a21463-01b3-7790-bbb5-dc02441dd1e1', '2026-11-25 20:26:02.545762+00', '2026-11-25 20:26:02.617749+00', NULL);
INSERT INTO public.stages VALUES ('01a21463-7c21-72ed-83d5-e8b942dec978', '01a21463-7be9-7273-ab4f-685ad74a2cd1', 'triage', 0, 1, NULL, 'any', 'failed', NULL, NULL, NULL, '2026-11-25 20:26:33.889245+00', '2026-11-25 20:26:33.889245+00', '2026-11-25 20:26:33.933554+00');
INSERT INTO public.stages VALUES ('01a21463-7d2d-75f5-b5bb-82070249b944', '01a21463-7c9e-7307-976f-b5db2cd0a450', 'triage', 0, 1, NULL, 'any', 'failed', NULL, NULL, NULL, '2026-11-25 20:26:34.157315+00', '2026-11-25 20:26:34.157315+00', '2026-11-25 20:26:34.197739+00');
INSERT INTO public.stages VALUES ('01a21462-f1ef-7300-9daa-4ec93851f913', '01a21462-f1b3-7782-8fe2-50802ea92fdc', 'triage', 0, 1, NULL, 'any', 'active', NULL, NULL, NULL, '2026-11-25 20:25:58.511985+00', '2026-11-25 20:25:58.511985+00', NULL);


--
-- Data for Name: summaries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.summaries VALUES ('e809bc03-79b7-4abb-9369-b997dd71aef4', '00000000-0000-7000-8000-000000000031', 'failed', NULL, 0, NULL, '{}', NULL, NULL, NULL, '2026-11-25 20:26:58.60702+00', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000052', 0, NULL);


--
-- Data for Name: timeline_events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.timeline_events VALUES ('01a21463-e554-73dd-97e1-05f762b4ce1a', '01a21463-e468-7380-a10e-72d6c21b2710', '01a21463-e510-7427-b4d6-c8bda87856e8', '01a21463-e510-7427-b4d6-c8bea09f87bc', 1, 'llm_response', 'streaming', '', '{"call_number": 1}', '2026-11-25 20:27:00.820325+00', '2026-11-25 20:27:00.820325+00');
INSERT INTO public.timeline_events VALUES ('01a21463-e5b9-70bf-b4b2-1f2ea8ca1d53', '01a21463-e468-7380-a10e-72d6c21b2710', '01a21463-e510-7427-b4d6-c8bda87856e8', '01a21463-e510-7427-b4d6-c8bea09f87bc', 2, 'final_analysis', 'completed', '', NULL, '2026-11-25 20:27:00.921342+00', '2026-11-25 20:27:00.921342+00');
INSERT INTO public.timeline_events VALUES ('af194903-4987-46ff-8a72-206820f73a44', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000021', 3, 'final_analysis', 'completed', 'the disk is full', NULL, '2026-11-25 20:27:01.60702+00', '2026-11-25 20:26:58.60702+00');
INSERT INTO public.timeline_events VALUES ('d82e4760-d714-4fc3-8e4f-ef77a02dd998', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000021', 2, 'provider_fallback', 'completed', 'x', '{"to": "third", "from": "second", "since": 4}', '2026-11-25 20:27:00.60702+00', '2026-11-25 20:26:58.60702+00');
INSERT INTO public.timeline_events VALUES ('8f8479a2-5785-4d98-8dc1-325a804ba57e', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000021', 1, 'provider_fallback', 'completed', 'x', '{"to": "second", "from": "first", "since": 2}', '2026-11-25 20:26:59.60702+00', '2026-11-25 20:26:58.60702+00');
INSERT INTO public.timeline_events VALUES ('3ce41223-888d-4d22-a03f-b82abf01e554', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000022', 5, 'final_analysis', 'completed', 'the log grows', NULL, '2026-11-25 20:27:03.60702+00', '2026-11-25 20:26:58.60702+00');
INSERT INTO public.timeline_events VALUES ('f642f845-6cac-421f-9931-b28522617896', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000022', 4, 'budget_reached', 'completed', 'no more', '{}', '2026-11-25 20:27:02.60702+00', '2026-11-25 20:26:58.60702+00');
INSERT INTO public.timeline_events VALUES ('25b1556e-f9c9-4ac1-b4d2-50b503837aec', '00000000-0000-7000-8000-000000000001', NULL, NULL, 7, 'executive_summary', 'completed', 'In short.', NULL, '2026-11-25 20:27:05.60702+00', '2026-11-25 20:26:58.60702+00');
INSERT INTO public.timeline_events VALUES ('65e1dd30-b1fe-4baa-831e-3c4518242e48', '00000000-0000-7000-8000-000000000001', NULL, NULL, 6, 'provider_fallback', 'completed', 'x', '{"to": "fifth", "from": "first", "since": 0}', '2026-11-25 20:27:04.60702+00', '2026-11-25 20:26:58.60702+00');
INSERT INTO public.timeline_events VALUES ('00000000-0000-7000-8000-000000000051', '00000000-0000-7000-8000-000000000001', NULL, '00000000-0000-7000-8000-000000000021', 8, 'llm_tool_call', 'completed', 'a long result', '{}', '2026-11-25 20:26:58.60702+00', '2026-11-25 20:26:58.60702+00');
INSERT INTO public.timeline_events VALUES ('00000000-0000-7000-8000-000000000052', '00000000-0000-7000-8000-000000000001', NULL, '00000000-0000-7000-8000-000000000021', 9, 'mcp_tool_summary', 'completed', 'in short', '{"tool_event_id": "00000000-0000-7000-8000-000000000051"}', '2026-11-25 20:26:58.60702+00', '2026-11-25 20:26:58.60702+00');
INSERT INTO public.timeline_events VALUES ('01a21463-01b5-76d9-b540-8be2d020ed86', '01a21463-00d4-742b-9cd3-b871ac84c802', '01a21463-01b3-7790-bbb5-dc0381f34e97', '01a21463-01b5-76d9-b540-8be1a568036d', 1, 'user_question', 'completed', 'why?', '{"author": "bob"}', '2026-11-25 20:26:02.545762+00', '2026-11-25 20:26:02.545762+00');
INSERT INTO public.timeline_events VALUES ('01a21463-0205-71ef-b311-2471462446aa', '01a21463-00d4-742b-9cd3-b871ac84c802', '01a21463-01b3-7790-bbb5-dc0381f34e97', '01a21463-01b5-76d9-b540-8be1a568036d', 2, 'llm_response', 'streaming', '', '{"call_number": 1}', '2026-11-25 20:26:02.629476+00', '2026-11-25 20:26:02.629476+00');
INSERT INTO public.timeline_events VALUES ('01a21462-f200-731f-931c-7c3fc51ea45d', '01a21462-f1b3-7782-8fe2-50802ea92fdc', '01a21462-f1ef-7300-9daa-4ec93851f913', '01a21462-f1ef-7300-9daa-4eca08496c59', 1, 'llm_tool_call', 'streaming', '', '{"call_number": 1}', '2026-11-25 20:25:58.538554+00', '2026-11-25 20:25:58.538554+00');


--
-- Data for Name: tool_results; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.tool_results VALUES ('01a21463-e594-724a-87bd-5b75f7cf5724', '01a21463-e554-73dd-97e1-05f8fd8c8095', 'filesystem used
  /var 39G  
xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 39G
last', '2026-11-25 20:27:00.820325+00');


--
-- Name: _sqlx_migrations _sqlx_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public._sqlx_migrations
    ADD CONSTRAINT _sqlx_migrations_pkey PRIMARY KEY (version);


--
-- Name: agent_executions agent_executions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_executions
    ADD CONSTRAINT agent_executions_pkey PRIMARY KEY (id);


--
-- Name: agent_executions agent_executions_stage_id_agent_index_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_executions
    ADD CONSTRAINT agent_executions_stage_id_agent_index_key UNIQUE (stage_id, agent_index);


--
-- Name: alert_sessions alert_sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alert_sessions
    ADD CONSTRAINT alert_sessions_pkey PRIMARY KEY (id);


--
-- Name: chat_user_messages chat_user_messages_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_user_messages
    ADD CONSTRAINT chat_user_messages_pkey PRIMARY KEY (id);


--
-- Name: chats chats_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chats
    ADD CONSTRAINT chats_pkey PRIMARY KEY (id);


--
-- Name: chats chats_session_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chats
    ADD CONSTRAINT chats_session_id_key UNIQUE (session_id);


--
-- Name: dead_letters dead_letters_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.dead_letters
    ADD CONSTRAINT dead_letters_pkey PRIMARY KEY (id);


--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (session_id, seq);


--
-- Name: idempotency_keys idempotency_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (key);


--
-- Name: llm_interactions llm_interactions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.llm_interactions
    ADD CONSTRAINT llm_interactions_pkey PRIMARY KEY (id);


--
-- Name: mcp_interactions mcp_interactions_call_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mcp_interactions
    ADD CONSTRAINT mcp_interactions_call_id_key UNIQUE (call_id);


--
-- Name: mcp_interactions mcp_interactions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mcp_interactions
    ADD CONSTRAINT mcp_interactions_pkey PRIMARY KEY (id);


--
-- Name: mcp_oauth_tokens mcp_oauth_tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mcp_oauth_tokens
    ADD CONSTRAINT mcp_oauth_tokens_pkey PRIMARY KEY (server_id);


--
-- Name: messages messages_execution_id_sequence_number_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_execution_id_sequence_number_key UNIQUE (execution_id, sequence_number);


--
-- Name: messages messages_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (id);


--
-- Name: notification_destinations notification_destinations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notification_destinations
    ADD CONSTRAINT notification_destinations_pkey PRIMARY KEY (name);


--
-- Name: notifications notifications_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_pkey PRIMARY KEY (id);


--
-- Name: notifications notifications_session_id_kind_destination_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_session_id_kind_destination_key UNIQUE (session_id, kind, destination);


--
-- Name: session_control session_control_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_control
    ADD CONSTRAINT session_control_pkey PRIMARY KEY (session_id);


--
-- Name: stages stages_chat_user_message_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stages
    ADD CONSTRAINT stages_chat_user_message_id_key UNIQUE (chat_user_message_id);


--
-- Name: stages stages_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stages
    ADD CONSTRAINT stages_pkey PRIMARY KEY (id);


--
-- Name: stages stages_session_id_stage_index_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stages
    ADD CONSTRAINT stages_session_id_stage_index_key UNIQUE (session_id, stage_index);


--
-- Name: summaries summaries_mcp_interaction_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.summaries
    ADD CONSTRAINT summaries_mcp_interaction_id_key UNIQUE (mcp_interaction_id);


--
-- Name: summaries summaries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.summaries
    ADD CONSTRAINT summaries_pkey PRIMARY KEY (id);


--
-- Name: timeline_events timeline_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.timeline_events
    ADD CONSTRAINT timeline_events_pkey PRIMARY KEY (id);


--
-- Name: timeline_events timeline_events_session_id_sequence_number_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.timeline_events
    ADD CONSTRAINT timeline_events_session_id_sequence_number_key UNIQUE (session_id, sequence_number);


--
-- Name: tool_results tool_results_interaction_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tool_results
    ADD CONSTRAINT tool_results_interaction_id_key UNIQUE (interaction_id);


--
-- Name: tool_results tool_results_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tool_results
    ADD CONSTRAINT tool_results_pkey PRIMARY KEY (id);


--
-- Name: agent_executions_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX agent_executions_session ON public.agent_executions USING btree (session_id);


--
-- Name: alert_sessions_author; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_author ON public.alert_sessions USING btree (author, created_at, id) WHERE (deleted_at IS NULL);


--
-- Name: alert_sessions_chain; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_chain ON public.alert_sessions USING btree (chain_id, created_at, id) WHERE (deleted_at IS NULL);


--
-- Name: alert_sessions_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_created ON public.alert_sessions USING btree (created_at, id) WHERE (deleted_at IS NULL);


--
-- Name: alert_sessions_deleted; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_deleted ON public.alert_sessions USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);


--
-- Name: alert_sessions_fingerprint; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_fingerprint ON public.alert_sessions USING btree (slack_message_fingerprint) WHERE (slack_message_fingerprint IS NOT NULL);


--
-- Name: alert_sessions_finished; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_finished ON public.alert_sessions USING btree (completed_at) WHERE (completed_at IS NOT NULL);


--
-- Name: alert_sessions_longest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_longest ON public.alert_sessions USING btree (duration_ms DESC NULLS LAST, created_at DESC, id DESC) WHERE (deleted_at IS NULL);


--
-- Name: alert_sessions_running; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_running ON public.alert_sessions USING btree (id) WHERE (status = ANY (ARRAY['in_progress'::text, 'cancelling'::text]));


--
-- Name: alert_sessions_search; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_search ON public.alert_sessions USING gin (search);


--
-- Name: alert_sessions_shortest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_shortest ON public.alert_sessions USING btree (duration_ms, created_at, id) WHERE (deleted_at IS NULL);


--
-- Name: alert_sessions_status; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_status ON public.alert_sessions USING btree (status, created_at, id) WHERE (deleted_at IS NULL);


--
-- Name: alert_sessions_type; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_type ON public.alert_sessions USING btree (alert_type, created_at, id) WHERE (deleted_at IS NULL);


--
-- Name: alert_sessions_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_waiting ON public.alert_sessions USING btree (created_at, id) WHERE (status = 'pending'::text);


--
-- Name: chat_user_messages_chat; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX chat_user_messages_chat ON public.chat_user_messages USING btree (chat_id, created_at);


--
-- Name: dead_letters_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX dead_letters_waiting ON public.dead_letters USING btree (created_at, id) WHERE (retried_at IS NULL);


--
-- Name: events_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX events_created ON public.events USING brin (created_at);


--
-- Name: events_unpublished; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX events_unpublished ON public.events USING btree (session_id, seq) WHERE (published_at IS NULL);


--
-- Name: idempotency_keys_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_keys_created ON public.idempotency_keys USING btree (created_at);


--
-- Name: idempotency_keys_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_keys_session ON public.idempotency_keys USING btree (session_id);


--
-- Name: llm_interactions_execution; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX llm_interactions_execution ON public.llm_interactions USING btree (execution_id) WHERE (execution_id IS NOT NULL);


--
-- Name: llm_interactions_message; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX llm_interactions_message ON public.llm_interactions USING btree (last_message_id) WHERE (last_message_id IS NOT NULL);


--
-- Name: llm_interactions_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX llm_interactions_session ON public.llm_interactions USING btree (session_id, created_at, id) INCLUDE (execution_id, input_tokens, output_tokens, total_tokens);


--
-- Name: llm_interactions_stage; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX llm_interactions_stage ON public.llm_interactions USING btree (stage_id) WHERE (stage_id IS NOT NULL);


--
-- Name: mcp_interactions_event; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mcp_interactions_event ON public.mcp_interactions USING btree (timeline_event_id) WHERE (timeline_event_id IS NOT NULL);


--
-- Name: mcp_interactions_execution; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mcp_interactions_execution ON public.mcp_interactions USING btree (execution_id, created_at, id) WHERE (execution_id IS NOT NULL);


--
-- Name: mcp_interactions_number; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX mcp_interactions_number ON public.mcp_interactions USING btree (session_id, call_number);


--
-- Name: mcp_interactions_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mcp_interactions_session ON public.mcp_interactions USING btree (session_id, created_at, id);


--
-- Name: mcp_interactions_stage; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mcp_interactions_stage ON public.mcp_interactions USING btree (stage_id) WHERE (stage_id IS NOT NULL);


--
-- Name: messages_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX messages_session ON public.messages USING btree (session_id);


--
-- Name: messages_stage; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX messages_stage ON public.messages USING btree (stage_id);


--
-- Name: notifications_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notifications_due ON public.notifications USING btree (due_at, id) WHERE (status = 'pending'::text);


--
-- Name: session_control_lease; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX session_control_lease ON public.session_control USING btree (lease_expires_at) WHERE (lease_expires_at IS NOT NULL);


--
-- Name: stages_chat; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX stages_chat ON public.stages USING btree (chat_id) WHERE (chat_id IS NOT NULL);


--
-- Name: stages_one_chat_turn; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX stages_one_chat_turn ON public.stages USING btree (session_id) WHERE ((chat_id IS NOT NULL) AND (status = ANY (ARRAY['pending'::text, 'active'::text])));


--
-- Name: summaries_lease; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX summaries_lease ON public.summaries USING btree (lease_expires_at) WHERE (status = 'in_progress'::text);


--
-- Name: summaries_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX summaries_session ON public.summaries USING btree (session_id);


--
-- Name: summaries_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX summaries_waiting ON public.summaries USING btree (created_at) WHERE (status = 'pending'::text);


--
-- Name: timeline_events_execution; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX timeline_events_execution ON public.timeline_events USING btree (execution_id, sequence_number) WHERE (execution_id IS NOT NULL);


--
-- Name: timeline_events_stage; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX timeline_events_stage ON public.timeline_events USING btree (stage_id) WHERE (stage_id IS NOT NULL);


--
-- Name: timeline_events_streaming; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX timeline_events_streaming ON public.timeline_events USING btree (session_id) WHERE (status = 'streaming'::text);


--
-- Name: agent_executions agent_executions_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_executions
    ADD CONSTRAINT agent_executions_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: agent_executions agent_executions_stage_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_executions
    ADD CONSTRAINT agent_executions_stage_id_fkey FOREIGN KEY (stage_id) REFERENCES public.stages(id) ON DELETE CASCADE;


--
-- Name: chat_user_messages chat_user_messages_chat_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_user_messages
    ADD CONSTRAINT chat_user_messages_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES public.chats(id) ON DELETE CASCADE;


--
-- Name: chats chats_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chats
    ADD CONSTRAINT chats_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: events events_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: idempotency_keys idempotency_keys_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;


--
-- Name: llm_interactions llm_interactions_execution_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.llm_interactions
    ADD CONSTRAINT llm_interactions_execution_id_fkey FOREIGN KEY (execution_id) REFERENCES public.agent_executions(id) ON DELETE CASCADE;


--
-- Name: llm_interactions llm_interactions_last_message_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.llm_interactions
    ADD CONSTRAINT llm_interactions_last_message_id_fkey FOREIGN KEY (last_message_id) REFERENCES public.messages(id) ON DELETE SET NULL;


--
-- Name: llm_interactions llm_interactions_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.llm_interactions
    ADD CONSTRAINT llm_interactions_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: llm_interactions llm_interactions_stage_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.llm_interactions
    ADD CONSTRAINT llm_interactions_stage_id_fkey FOREIGN KEY (stage_id) REFERENCES public.stages(id) ON DELETE CASCADE;


--
-- Name: mcp_interactions mcp_interactions_execution_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mcp_interactions
    ADD CONSTRAINT mcp_interactions_execution_id_fkey FOREIGN KEY (execution_id) REFERENCES public.agent_executions(id) ON DELETE CASCADE;


--
-- Name: mcp_interactions mcp_interactions_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mcp_interactions
    ADD CONSTRAINT mcp_interactions_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: mcp_interactions mcp_interactions_stage_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mcp_interactions
    ADD CONSTRAINT mcp_interactions_stage_id_fkey FOREIGN KEY (stage_id) REFERENCES public.stages(id) ON DELETE CASCADE;


--
-- Name: mcp_interactions mcp_interactions_timeline_event_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mcp_interactions
    ADD CONSTRAINT mcp_interactions_timeline_event_id_fkey FOREIGN KEY (timeline_event_id) REFERENCES public.timeline_events(id) ON DELETE SET NULL;


--
-- Name: messages messages_execution_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_execution_id_fkey FOREIGN KEY (execution_id) REFERENCES public.agent_executions(id) ON DELETE CASCADE;


--
-- Name: messages messages_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: messages messages_stage_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_stage_id_fkey FOREIGN KEY (stage_id) REFERENCES public.stages(id) ON DELETE CASCADE;


--
-- Name: notifications notifications_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: session_control session_control_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_control
    ADD CONSTRAINT session_control_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: stages stages_chat_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stages
    ADD CONSTRAINT stages_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES public.chats(id) ON DELETE CASCADE;


--
-- Name: stages stages_chat_user_message_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stages
    ADD CONSTRAINT stages_chat_user_message_id_fkey FOREIGN KEY (chat_user_message_id) REFERENCES public.chat_user_messages(id) ON DELETE CASCADE;


--
-- Name: stages stages_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stages
    ADD CONSTRAINT stages_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: summaries summaries_mcp_interaction_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.summaries
    ADD CONSTRAINT summaries_mcp_interaction_id_fkey FOREIGN KEY (mcp_interaction_id) REFERENCES public.mcp_interactions(id) ON DELETE CASCADE;


--
-- Name: summaries summaries_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.summaries
    ADD CONSTRAINT summaries_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: timeline_events timeline_events_execution_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.timeline_events
    ADD CONSTRAINT timeline_events_execution_id_fkey FOREIGN KEY (execution_id) REFERENCES public.agent_executions(id) ON DELETE CASCADE;


--
-- Name: timeline_events timeline_events_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.timeline_events
    ADD CONSTRAINT timeline_events_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: timeline_events timeline_events_stage_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.timeline_events
    ADD CONSTRAINT timeline_events_stage_id_fkey FOREIGN KEY (stage_id) REFERENCES public.stages(id) ON DELETE CASCADE;


--
-- Name: tool_results tool_results_interaction_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tool_results
    ADD CONSTRAINT tool_results_interaction_id_fkey FOREIGN KEY (interaction_id) REFERENCES public.mcp_interactions(id) ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--


