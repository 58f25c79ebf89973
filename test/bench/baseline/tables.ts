/** Tables of the baseline: a column for each field of a product, and indexes for rules. */
export const TABLES = `
create table if not exists plans (
  name text primary key,
  product_limit integer not null
);
insert into plans values ('free', 100), ('starter', 1000), ('growth', 10000), ('scale', 100000) on conflict do nothing;

create table if not exists stores (
  id uuid primary key default uuidv7(),
  name text not null,
  plan text not null references plans,
  currency_code text not null,
  product_count integer not null default 0,
  created_at timestamptz not null default now(),
  deleted_at timestamptz
) with (fillfactor = 50);

create table if not exists installations (
  id uuid primary key default uuidv7(),
  store_id uuid not null references stores on delete cascade,
  scopes text[] not null,
  capabilities text[] not null default '{}',
  is_active boolean not null default true
);

create table if not exists access_tokens (
  token_hash bytea primary key,
  installation_id uuid not null references installations on delete cascade,
  expires_at timestamptz not null
);

-- hits: times of the last 100 admitted requests, oldest first. Half-empty pages allow updates in place.
create table if not exists rate_windows (
  installation_id uuid primary key references installations on delete cascade,
  hits timestamptz[] not null default '{}'
) with (fillfactor = 50);

create table if not exists idempotency_records (
  installation_id uuid not null references installations on delete cascade,
  key text not null,
  fingerprint bytea not null,
  status smallint,
  body text,
  expires_at timestamptz not null default now() + interval '24 hours',
  primary key (installation_id, key)
);

-- tags_lower: lower-case tags for rules. No immutable expression can compute it, so the server writes it.
create table if not exists products (
  store_id uuid not null references stores on delete cascade,
  id uuid not null default uuidv7(),
  version integer not null default 1,
  name text not null,
  slug text not null,
  price numeric not null default 0 check (price >= 0),
  discounted_price numeric check (discounted_price >= 0),
  cost_price numeric check (cost_price >= 0),
  stock numeric not null default 0 check (stock >= 0),
  currency_code text not null,
  is_active boolean not null default true,
  on_sale boolean not null default false,
  taxable boolean not null default true,
  track_inventory boolean not null default true,
  description text,
  vendor_name text,
  category text,
  category_id text,
  category_name text,
  product_type text,
  product_kind text not null default 'physical',
  sku text,
  barcode text,
  image_url text,
  tags text[] not null default '{}',
  tags_lower text[] not null default '{}',
  media jsonb not null default '[]',
  options jsonb not null default '[]',
  variants jsonb not null default '[]',
  faqs jsonb not null default '[]',
  metafields jsonb not null default '{}',
  custom_fields jsonb not null default '[]',
  weight numeric check (weight >= 0),
  dimensions jsonb,
  country_of_origin text,
  hs_code text,
  seo_title text,
  seo_description text,
  meta_description text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (store_id, id),
  unique (store_id, slug)
);
create index if not exists products_by_vendor on products (store_id, lower(vendor_name));
create index if not exists products_by_type on products (store_id, lower(product_type));
create index if not exists products_by_category on products (store_id, lower(category));
create index if not exists products_by_tag on products using gin (tags_lower);

create table if not exists orders (
  store_id uuid not null references stores on delete cascade,
  id uuid not null default uuidv7(),
  number text not null,
  status text not null check (status in ('open', 'completed', 'cancelled')),
  financial_status text,
  fulfillment_status text,
  currency_code text not null,
  subtotal numeric not null,
  discount numeric not null,
  shipping numeric not null,
  tax numeric not null,
  total numeric not null,
  customer_id uuid,
  email text,
  line_items jsonb not null,
  shipping_address jsonb,
  billing_address jsonb,
  note text,
  placed_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (store_id, id)
);
create index if not exists orders_by_change on orders (store_id, updated_at);

create table if not exists collections (
  store_id uuid not null references stores on delete cascade,
  id uuid not null default uuidv7(),
  version integer not null default 1,
  title text not null,
  type text not null check (type in ('manual', 'automated')),
  description text,
  image_url text,
  is_active boolean not null default true,
  slug text not null,
  seo_title text,
  meta_description text,
  disjunctive boolean not null default false,
  rules jsonb not null default '[]',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (store_id, id),
  unique (store_id, slug)
);

create table if not exists collection_members (
  store_id uuid not null,
  collection_id uuid not null,
  product_id uuid not null,
  position integer not null,
  primary key (store_id, collection_id, product_id),
  foreign key (store_id, collection_id) references collections on delete cascade,
  foreign key (store_id, product_id) references products on delete cascade
);

create table if not exists app_data (
  installation_id uuid not null references installations on delete cascade,
  namespace text not null,
  key text not null,
  value json not null,
  bytes integer not null,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (installation_id, namespace, key)
);
create index if not exists app_data_by_end on app_data (expires_at) where expires_at is not null;

create table if not exists app_data_usage (
  installation_id uuid primary key references installations on delete cascade,
  entries integer not null default 0,
  bytes integer not null default 0
) with (fillfactor = 50);

create table if not exists events (
  id uuid primary key,
  store_id uuid not null references stores on delete cascade,
  kind text not null,
  occurred_at timestamptz not null,
  origin_installation_id uuid,
  payload text not null
);
`
