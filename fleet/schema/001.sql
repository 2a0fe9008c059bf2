-- What weighlock-fleet keeps, version 1.  Items (what there is) and verdicts (what was found) are only added to: they are the
-- truth.  Jobs are a hint: any of them may be lost, and `reconcile` puts back what lacks an answer.

create table item (
	n bigint generated always as identity primary key,
	id text not null unique,
	sha256 bytea not null check (octet_length(sha256) = 32),
	size bigint not null check (size >= 0),
	doc text not null,            -- the job, as it was written
	lane smallint not null,
	added timestamptz not null default now()
);
create index item_sha256 on item (sha256);

create table verdict (
	n bigint generated always as identity primary key,
	sha256 bytea not null check (octet_length(sha256) = 32),
	size bigint not null,
	name text not null,           -- by which a format may be known
	rules bytea not null,         -- digest of the rules
	rules_version integer not null,
	reader text not null,         -- format/revision
	policy text not null,
	policy_sha256 bytea not null,
	verdict text not null check (verdict in ('accept', 'review', 'reject')),
	complete boolean not null,
	facts_sha256 bytea not null,  -- of what does not depend on when and where it was scanned
	doc text not null,            -- the verdict's JSON, as the daemon wrote it
	added timestamptz not null default now(),
	unique (sha256, size, name, rules, policy_sha256)
);

-- Which verdict answers which item, by which rules.  tx: whoever follows must not overlook what is committed late.
create table answer (
	item bigint not null references item,
	rules bytea not null,
	verdict bigint not null references verdict,
	n bigint generated always as identity,
	tx xid8 not null default pg_current_xact_id(),
	added timestamptz not null default now(),
	primary key (item, rules)
);
create index answer_order on answer (tx, n);

create table job (
	item bigint primary key references item,
	lane smallint not null,
	ready_at timestamptz not null default now(), -- a lease is a time before which nobody else takes it
	token bigint not null default 0,             -- of the lease; 0: nobody's
	node text not null default '',
	deliveries integer not null default 0,
	attempts integer not null default 0,
	faults integer not null default 0
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index job_ready on job (lane, ready_at);
create sequence token;

-- What gave no row, with its cause.
create table attempt (
	n bigint generated always as identity primary key,
	item bigint not null references item,
	cause text not null,
	node text not null,
	doc text not null,            -- the verdict's JSON, if there was any
	added timestamptz not null default now()
);
create index attempt_item on attempt (item);

-- For a person: tried often enough, or never to be tried.
create table failed (
	item bigint primary key references item,
	cause text not null,
	lane smallint not null,
	added timestamptz not null default now()
);

-- What must not be: other bytes than announced, two verdicts for one key.
create table alarm (
	n bigint generated always as identity primary key,
	kind text not null,
	item bigint references item,
	doc text not null,
	added timestamptz not null default now()
);

-- Add an item and its job.  'queued', 'known' (it is queued, answered or set aside), or 'differs' (another job has this id).
create function submit(p_id text, p_sha256 bytea, p_size bigint, p_doc text, p_lane smallint) returns text
language plpgsql set search_path = weighlock, pg_temp as $$
declare
	v_item item%rowtype;
begin
	insert into item (id, sha256, size, doc, lane) values (p_id, p_sha256, p_size, p_doc, p_lane)
		on conflict (id) do nothing returning * into v_item;
	if found then
		insert into job (item, lane) values (v_item.n, p_lane);
		return 'queued';
	end if;
	select * into v_item from item where id = p_id;
	return case when v_item.doc = p_doc then 'known' else 'differs' end;
end $$;

-- A row if there is none of its key, and the item's answer.  'new', 'same', or 'differs': an alarm, and the row that was first
-- stays the answer.
create function record(p_item bigint, p_sha256 bytea, p_size bigint, p_name text, p_rules bytea, p_rules_version integer,
	p_reader text, p_policy text, p_policy_sha256 bytea, p_verdict text, p_complete boolean, p_facts bytea, p_doc text)
returns text language plpgsql set search_path = weighlock, pg_temp as $$
declare
	v_n bigint;
	v_facts bytea;
	v_said text := 'new';
begin
	insert into verdict (sha256, size, name, rules, rules_version, reader, policy, policy_sha256, verdict, complete,
		facts_sha256, doc)
	values (p_sha256, p_size, p_name, p_rules, p_rules_version, p_reader, p_policy, p_policy_sha256, p_verdict, p_complete,
		p_facts, p_doc)
	on conflict do nothing returning n into v_n;
	if not found then
		select n, facts_sha256 into strict v_n, v_facts from verdict where sha256 = p_sha256 and size = p_size
			and name = p_name and rules = p_rules and policy_sha256 = p_policy_sha256;
		v_said := case when v_facts = p_facts then 'same' else 'differs' end;
	end if;
	if v_said = 'differs' then
		insert into alarm (kind, item, doc) values ('verdict-differs', p_item, p_doc);
	end if;
	insert into answer (item, rules, verdict) values (p_item, p_rules, v_n) on conflict do nothing;
	return v_said;
end $$;
