import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Names and phone numbers in the variable `address`, one a line. The members are those of src/domain/records/AddressLines.ts. */
const ADDRESS_LINES = `concat_ws(chr(10),
  address ->> 'name', address ->> 'full_name', address ->> 'fullName', address ->> 'recipient',
  concat_ws(' ', address ->> 'first_name', address ->> 'last_name'),
  concat_ws(' ', address ->> 'firstName', address ->> 'lastName'),
  concat_ws(' ', address ->> 'firstname', address ->> 'lastname'),
  regexp_replace(concat_ws(' / ',
    address ->> 'phone', address ->> 'phone_number', address ->> 'phoneNumber', address ->> 'telephone', address ->> 'mobile'
  ), '[^0-9]+', '', 'g')
)`

/**
 * Creates the index of the texts that a search of orders and customers reads: without accents and case, and phone numbers
 * by their digits. A search parses only rows that have all trigrams of the searched text. Each is a hash of the store and
 * three characters. The extension pg_trgm does the same, but not every role may create it.
 */
export const createRecordSearch = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // In plpgsql, because functions in SQL start a query with each call. An index calls them without the search path, so
  // they call no function of this schema.
  yield* sql`
    create function folded_text(value text) returns text
    language plpgsql immutable parallel safe as $$
    begin
      -- ASCII has no accents.
      if octet_length(value) = length(value) then return lower(value); end if;
      -- The ranges are the Unicode blocks of combining marks. A final sigma is a plain one.
      return translate(lower(regexp_replace(
        normalize(value, nfkd), '[\\u0300-\\u036f\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f]+', '', 'g'
      )), U&'\\03C2', U&'\\03C3');
    end
    $$
  `
  yield* sql`
    create function order_lines(opening text, personal text) returns text
    language plpgsql immutable parallel safe as $$
    declare
      visible json := (opening || '}')::json;
      items jsonb := (visible -> 'lineItems')::jsonb;
      -- Null without personal members.
      hidden json := ('{' || substr(personal, 2))::json;
      address jsonb := (hidden -> 'shippingAddress')::jsonb;
      lines text := concat_ws(chr(10), visible ->> 'number', hidden ->> 'email');
    begin
      for n in 0 .. least(jsonb_array_length(items), 100) - 1 loop
        lines := concat_ws(chr(10), lines, items -> n ->> 'name', items -> n ->> 'sku');
      end loop;
      lines := concat_ws(chr(10), lines, ${sql.literal(ADDRESS_LINES)});
      address := (hidden -> 'billingAddress')::jsonb;
      return concat_ws(chr(10), lines, ${sql.literal(ADDRESS_LINES)});
    end
    $$
  `
  yield* sql`
    create function customer_lines(opening text, personal text) returns text
    language plpgsql immutable parallel safe as $$
    declare
      visible json := (opening || '}')::json;
      hidden json := ('{' || substr(personal, 2))::json;
      addresses jsonb := (hidden -> 'addresses')::jsonb;
      address jsonb;
      lines text := concat_ws(chr(10),
        visible ->> 'name', visible ->> 'company', hidden ->> 'email',
        regexp_replace(hidden ->> 'phone', '[^0-9]+', '', 'g')
      );
    begin
      if jsonb_typeof(addresses) = 'array' then
        for n in 0 .. jsonb_array_length(addresses) - 1 loop
          address := addresses -> n;
          lines := concat_ws(chr(10), lines, ${sql.literal(ADDRESS_LINES)});
        end loop;
      end if;
      return lines;
    end
    $$
  `
  // The bodies of these are parsed here.
  for (const kind of ["order", "customer"]) {
    yield* sql`
      create function ${sql(`${kind}_text`)}(opening text, personal text) returns text
      language sql immutable parallel safe
      begin atomic
        select folded_text(${sql(`${kind}_lines`)}(opening, personal));
      end
    `
  }
  // Line by line, because the time of substr grows with its position.
  yield* sql`
    create function line_trigrams(store_id uuid, value text) returns bigint[]
    language sql immutable parallel safe
    begin atomic
      select coalesce(array_agg(distinct hashtextextended(substr(line, n, 3), seed)), '{}')
      from (select uuid_hash_extended(store_id, 0) as seed offset 0) as hashed,
        (select distinct line from string_to_table(value, chr(10)) as line) as lines,
        generate_series(1, length(line) - 2) as n;
    end
  `
  for (const [table, text] of [
    ["orders", "order_text"],
    ["customers", "customer_text"]
  ] as const) {
    yield* sql`
      create index ${sql(`${table}_by_text`)} on ${sql(table)}
      using gin (line_trigrams(store_id, ${sql(text)}(opening, personal)))
      with (fastupdate = on, gin_pending_list_limit = 2048)
    `
  }
})
