CREATE TABLE agent_pulls (
  repo_id BIGINT NOT NULL,
  number BIGINT NOT NULL,
  at DATETIME NOT NULL,
  reasons TEXT NOT NULL,
  PRIMARY KEY (repo_id, number)
);
CREATE TABLE answers (
  repo_id BIGINT NOT NULL,
  number BIGINT NOT NULL,
  question TEXT NOT NULL,
  specification TEXT NOT NULL,
  call TEXT NOT NULL,
  expected TEXT,
  who TEXT NOT NULL,
  at DATETIME NOT NULL,
  PRIMARY KEY (repo_id, number, question)
);
CREATE INDEX answers_specification ON answers (repo_id, specification);
CREATE TABLE apps (
  app_id BIGINT NOT NULL,
  seen_at DATETIME NOT NULL,
  PRIMARY KEY (app_id)
);
CREATE TABLE calibrations (
  repo_id BIGINT NOT NULL,
  judge TEXT NOT NULL,
  source TEXT NOT NULL,
  made_at DATETIME NOT NULL,
  calibration TEXT,
  PRIMARY KEY (repo_id, judge, source)
);
CREATE TABLE check_runs (
  run_id BIGINT NOT NULL,
  annotated BOOLEAN NOT NULL,
  open BOOLEAN NOT NULL,
  repo_id BIGINT NOT NULL,
  head TEXT NOT NULL,
  at DATETIME NOT NULL,
  PRIMARY KEY (repo_id, head)
);
CREATE TABLE commands (
  comment_id BIGINT NOT NULL,
  updated_at TEXT NOT NULL,
  "key" TEXT NOT NULL,
  claimant TEXT NOT NULL,
  at DATETIME NOT NULL,
  PRIMARY KEY (comment_id, updated_at, "key")
);
CREATE INDEX ix_commands_at ON commands (at);
CREATE TABLE decisions (
  workflow_id TEXT NOT NULL,
  repo_id BIGINT NOT NULL,
  number BIGINT NOT NULL,
  author TEXT NOT NULL,
  at DATETIME NOT NULL,
  seq BIGINT NOT NULL,
  mode TEXT NOT NULL,
  subject TEXT NOT NULL,
  calls BIGINT NOT NULL,
  tokens_in BIGINT NOT NULL,
  tokens_out BIGINT NOT NULL,
  money FLOAT NOT NULL,
  decision TEXT NOT NULL,
  label TEXT,
  judge TEXT NOT NULL,
  kind TEXT,
  ground TEXT NOT NULL,
  verdict TEXT NOT NULL,
  applied TEXT NOT NULL,
  PRIMARY KEY (workflow_id)
);
CREATE INDEX decisions_repo_at ON decisions (repo_id, at, seq, subject, decision, number, mode, kind, ground, judge, calls, tokens_in, tokens_out, money);
CREATE TABLE disagreements (
  workflow_id TEXT NOT NULL,
  repo_id BIGINT NOT NULL,
  number BIGINT NOT NULL,
  who TEXT NOT NULL,
  at DATETIME NOT NULL,
  act TEXT NOT NULL,
  verdict TEXT,
  PRIMARY KEY (workflow_id)
);
CREATE INDEX disagreements_subject ON disagreements (repo_id, number);
CREATE TABLE endings (
  guid TEXT NOT NULL,
  repo_id BIGINT NOT NULL,
  number BIGINT NOT NULL,
  sort TEXT NOT NULL,
  who TEXT NOT NULL,
  by_maintainer BOOLEAN NOT NULL,
  at DATETIME NOT NULL,
  issues TEXT NOT NULL,
  PRIMARY KEY (guid)
);
CREATE INDEX ix_endings_at ON endings (at);
CREATE TABLE fixes (
  repo_id BIGINT NOT NULL,
  number BIGINT NOT NULL,
  installation_id BIGINT NOT NULL,
  repository TEXT NOT NULL,
  run_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  found TEXT NOT NULL,
  said TEXT NOT NULL,
  brief TEXT NOT NULL,
  brief_wanted BOOLEAN NOT NULL,
  label TEXT NOT NULL,
  told_at DATETIME,
  close_at DATETIME,
  objected BOOLEAN NOT NULL,
  written BOOLEAN NOT NULL,
  PRIMARY KEY (repo_id, number)
);
CREATE INDEX ix_fixes_close_at ON fixes (close_at);
CREATE INDEX ix_fixes_installation_id ON fixes (installation_id);
CREATE TABLE fixes_used (
  repo_id BIGINT NOT NULL,
  pull BIGINT NOT NULL,
  issue BIGINT NOT NULL,
  installation_id BIGINT NOT NULL,
  unneeded BOOLEAN NOT NULL,
  PRIMARY KEY (repo_id, pull, issue)
);
CREATE INDEX fixes_used_issue ON fixes_used (repo_id, issue);
CREATE INDEX ix_fixes_used_installation_id ON fixes_used (installation_id);
CREATE TABLE gates (
  repo_id BIGINT NOT NULL,
  number BIGINT NOT NULL,
  installation_id BIGINT NOT NULL,
  repository TEXT NOT NULL,
  head TEXT NOT NULL,
  state TEXT NOT NULL,
  decision TEXT,
  judged TEXT NOT NULL,
  labelled BOOLEAN NOT NULL,
  due_at DATETIME,
  run_id TEXT NOT NULL,
  pushed_at DATETIME,
  people_asked BOOLEAN NOT NULL,
  base_branch TEXT NOT NULL,
  left_alone TEXT NOT NULL,
  bounced TEXT NOT NULL,
  PRIMARY KEY (repo_id, number)
);
CREATE INDEX gates_head ON gates (repo_id, head);
CREATE INDEX gates_state ON gates (repo_id, state);
CREATE INDEX ix_gates_due_at ON gates (due_at);
CREATE INDEX ix_gates_installation_id ON gates (installation_id);
CREATE TABLE installations (
  id BIGINT NOT NULL,
  account TEXT NOT NULL,
  created_at DATETIME NOT NULL,
  suspended BOOLEAN NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE installed_repositories (
  installation_id BIGINT NOT NULL,
  repo_id BIGINT NOT NULL,
  full_name TEXT NOT NULL,
  added_at DATETIME NOT NULL,
  PRIMARY KEY (installation_id, repo_id)
);
CREATE TABLE judgements (
  run_id TEXT NOT NULL,
  repo_id BIGINT NOT NULL,
  number BIGINT NOT NULL,
  installation_id BIGINT NOT NULL,
  repository TEXT NOT NULL,
  head TEXT NOT NULL,
  at DATETIME NOT NULL,
  decision TEXT NOT NULL,
  sentence TEXT NOT NULL,
  result TEXT NOT NULL,
  digest TEXT NOT NULL,
  token TEXT NOT NULL,
  annotations TEXT NOT NULL,
  PRIMARY KEY (run_id),
  CONSTRAINT judgements_digest UNIQUE (digest)
);
CREATE INDEX ix_judgements_installation_id ON judgements (installation_id);
CREATE INDEX judgements_head ON judgements (repo_id, head);
CREATE INDEX judgements_subject ON judgements (repo_id, number);
CREATE TABLE merge_groups (
  repo_id BIGINT NOT NULL,
  head TEXT NOT NULL,
  installation_id BIGINT NOT NULL,
  repository TEXT NOT NULL,
  number BIGINT NOT NULL,
  asked_at DATETIME NOT NULL,
  state TEXT NOT NULL,
  base TEXT NOT NULL,
  stood TEXT NOT NULL,
  due_at DATETIME,
  pulls TEXT NOT NULL,
  PRIMARY KEY (repo_id, head)
);
CREATE INDEX ix_merge_groups_due_at ON merge_groups (due_at);
CREATE INDEX ix_merge_groups_installation_id ON merge_groups (installation_id);
CREATE TABLE model_answers (
  repo_id BIGINT NOT NULL,
  "key" TEXT NOT NULL,
  answer TEXT NOT NULL,
  answered_at DATETIME NOT NULL,
  PRIMARY KEY (repo_id, "key")
);
CREATE TABLE overrides (
  id TEXT NOT NULL,
  repo_id BIGINT NOT NULL,
  number BIGINT NOT NULL,
  head TEXT NOT NULL,
  who TEXT NOT NULL,
  permission TEXT NOT NULL,
  reason TEXT NOT NULL,
  at DATETIME NOT NULL,
  ended_at DATETIME,
  ended_by TEXT NOT NULL,
  carried_from TEXT NOT NULL,
  base_branch TEXT NOT NULL,
  verdict TEXT,
  PRIMARY KEY (id)
);
CREATE INDEX overrides_subject ON overrides (repo_id, number);
CREATE TABLE person_words (
  id TEXT NOT NULL,
  repo_id BIGINT NOT NULL,
  number BIGINT NOT NULL,
  head TEXT NOT NULL,
  who TEXT NOT NULL,
  permission TEXT NOT NULL,
  reason TEXT NOT NULL,
  said_at DATETIME NOT NULL,
  at DATETIME NOT NULL,
  ended_at DATETIME,
  ended_by TEXT NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX person_words_subject ON person_words (repo_id, number);
CREATE TABLE policies (
  repository TEXT NOT NULL,
  text TEXT,
  etag TEXT NOT NULL,
  fetched_at DATETIME NOT NULL,
  valid TEXT,
  PRIMARY KEY (repository)
);
CREATE TABLE pushes (
  repo_id BIGINT NOT NULL,
  number BIGINT NOT NULL,
  head TEXT NOT NULL,
  who TEXT NOT NULL,
  is_bot BOOLEAN NOT NULL,
  at DATETIME NOT NULL,
  PRIMARY KEY (repo_id, number, head, who)
);
CREATE INDEX pushes_head ON pushes (repo_id, head);
CREATE TABLE rejections (
  run_id TEXT NOT NULL,
  repo_id BIGINT NOT NULL,
  number BIGINT NOT NULL,
  installation_id BIGINT NOT NULL,
  repository TEXT NOT NULL,
  head TEXT NOT NULL,
  at DATETIME NOT NULL,
  decision TEXT NOT NULL,
  sentence TEXT NOT NULL,
  result TEXT NOT NULL,
  reviewer TEXT NOT NULL,
  remark BIGINT NOT NULL,
  place TEXT NOT NULL,
  topic TEXT NOT NULL,
  outcome TEXT NOT NULL,
  resolved BOOLEAN NOT NULL,
  token TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (run_id),
  CONSTRAINT rejections_digest UNIQUE (digest)
);
CREATE INDEX ix_rejections_installation_id ON rejections (installation_id);
CREATE INDEX rejections_at ON rejections (repo_id, at);
CREATE INDEX rejections_subject ON rejections (repo_id, number);
CREATE TABLE removals (
  repo_id BIGINT NOT NULL,
  verdicts BIGINT NOT NULL,
  until DATETIME NOT NULL,
  PRIMARY KEY (repo_id)
);
CREATE TABLE repositories (
  repo_id BIGINT NOT NULL,
  installation_id BIGINT NOT NULL,
  full_name TEXT NOT NULL,
  private BOOLEAN NOT NULL,
  heard_at DATETIME NOT NULL,
  PRIMARY KEY (repo_id)
);
CREATE INDEX ix_repositories_installation_id ON repositories (installation_id);
CREATE TABLE reviews (
  repo_id BIGINT NOT NULL,
  number BIGINT NOT NULL,
  installation_id BIGINT NOT NULL,
  question TEXT NOT NULL,
  review TEXT,
  PRIMARY KEY (repo_id, number)
);
CREATE INDEX ix_reviews_installation_id ON reviews (installation_id);
CREATE TABLE signs (
  what TEXT NOT NULL,
  at DATETIME NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (what)
);
CREATE TABLE spending (
  workflow_id TEXT NOT NULL,
  at DATETIME NOT NULL,
  judge TEXT NOT NULL,
  calls BIGINT NOT NULL,
  tokens_in BIGINT NOT NULL,
  tokens_out BIGINT NOT NULL,
  money FLOAT NOT NULL,
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT
);
CREATE INDEX ix_spending_at ON spending (at);
CREATE TABLE subjects (
  repo_id BIGINT NOT NULL,
  number BIGINT NOT NULL,
  installation_id BIGINT NOT NULL,
  repository TEXT NOT NULL,
  author TEXT NOT NULL,
  state TEXT NOT NULL,
  held BOOLEAN NOT NULL,
  label_by_human BOOLEAN NOT NULL,
  asked_by_label BOOLEAN NOT NULL,
  label TEXT NOT NULL,
  comment_id BIGINT,
  judged_hash TEXT NOT NULL,
  latest_seq BIGINT NOT NULL,
  asked_at DATETIME,
  reminded_at DATETIME,
  retry_at DATETIME,
  retries BIGINT NOT NULL,
  private BOOLEAN NOT NULL,
  left_alone TEXT NOT NULL,
  token TEXT,
  digest TEXT,
  asked TEXT NOT NULL,
  satisfied TEXT NOT NULL,
  verdict TEXT,
  PRIMARY KEY (repo_id, number)
);
CREATE INDEX ix_subjects_installation_id ON subjects (installation_id);
CREATE INDEX ix_subjects_retry_at ON subjects (retry_at);
CREATE INDEX subjects_held ON subjects (repo_id, held, state);
CREATE UNIQUE INDEX subjects_page ON subjects (digest);
CREATE INDEX subjects_waiting ON subjects (repo_id, retry_at);
CREATE TABLE templates (
  repository TEXT NOT NULL,
  etag TEXT NOT NULL,
  fetched_at DATETIME NOT NULL,
  files TEXT NOT NULL,
  PRIMARY KEY (repository)
);
CREATE TABLE welcomes (
  repo_id BIGINT NOT NULL,
  installation_id BIGINT NOT NULL,
  repository TEXT NOT NULL,
  token TEXT NOT NULL,
  branch TEXT NOT NULL,
  made_at DATETIME NOT NULL,
  digest TEXT NOT NULL,
  issues TEXT NOT NULL,
  PRIMARY KEY (repo_id)
);
CREATE INDEX ix_welcomes_installation_id ON welcomes (installation_id);
CREATE UNIQUE INDEX welcomes_page ON welcomes (digest)
