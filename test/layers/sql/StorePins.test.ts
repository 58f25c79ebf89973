import { describe, expect, it } from "vitest"
import { unpinnedTables } from "../../support/postgres/statements/StorePins.ts"

const tables = new Map([
  ["stores", ["id", "name"]],
  ["products", ["store_id", "id", "name"]],
  ["keys", ["store_id", "id", "key"]],
  ["tokens", ["hash", "store_id"]],
  ["apps", ["id", "name"]]
])

const PINNED = [
  "select * from products where store_id = $1 and id = $2",
  "select * from products where $1::uuid = store_id",
  "select * from products where store_id = (select $1)",
  "select * from products where store_id = any($1)",
  "select * from products where (store_id, id) = ($1, $2)",
  "select * from products where (store_id = $1 and id = $2) or (id = $3 and store_id = $1)",
  "select * from products where false",
  "select * from stores where id = $1",
  "select * from apps",
  "select * from products p join keys k using (store_id, id) where k.store_id = $1",
  "select * from products p left join keys k on k.store_id = p.store_id and k.id = p.id where p.store_id = $1",
  "select * from unnest($1::uuid[], $2::uuid[]) as w (store_id, id) join products p using (store_id, id)",
  "select * from products p where store_id = $1 and exists (select from keys k where k.store_id = p.store_id)",
  "select * from products where (store_id, id) in (select store_id, id from keys where store_id = $1)",
  "with p as (select * from products where store_id = $1) select * from p join keys k on k.store_id = p.store_id",
  "with d as (delete from keys where store_id = $1 returning store_id) update products p set name = '' from d where p.store_id = d.store_id",
  "with recursive r (s, id) as (select store_id, id from products where store_id = $1 union all select k.store_id, k.id from r join keys k on k.store_id = r.s) select * from r",
  "select * from stores s, lateral (select * from products p where p.store_id = s.id) as l where s.id = $1",
  "select (select count(*) from products where store_id = s.id) from stores s where s.id = $1",
  "insert into products (id, store_id) values ($1, $2), ($3, $2)",
  "insert into products (store_id, id) select store_id, id from keys where store_id = $1",
  "insert into products (store_id, id) values ($1, $2) on conflict (store_id, id) do update set name = (select key from keys k where k.store_id = products.store_id)",
  "delete from products p using keys k where k.store_id = $1 and p.store_id = k.store_id",
  "create table t ()"
]

const UNPINNED: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["select * from products where id = $1", ["products"]],
  ["select * from products where store_id > $1", ["products"]],
  ["select * from products where store_id = $1 or id = $2", ["products"]],
  ["select * from products where not store_id = $1", ["products"]],
  ["select * from stores", ["stores"]],
  ["select * from products p join keys k on k.id = p.id where p.store_id = $1", ["keys"]],
  ["select * from products p left join keys k on k.store_id = p.store_id and p.store_id = $1", ["products", "keys"]],
  ["select * from products p full join keys k on k.store_id = p.store_id where p.store_id = $1", ["keys"]],
  ["select p.* from tokens t join products p on p.store_id = t.store_id where t.hash = $1", ["tokens", "products"]],
  ["select exists (select from keys where id = $1)", ["keys"]],
  ["select * from (select id from keys) as k", ["keys"]],
  ["select * from apps order by (select count(*) from products)", ["products"]],
  ["select * from products where store_id = $1 union all select * from products", ["products"]],
  ["with k as (select store_id from keys) select * from products p join k using (store_id)", ["keys", "products"]],
  ["with recursive r (s) as (select $1::uuid union all select k.store_id from r, keys k) select * from r", ["keys"]],
  ["insert into products (store_id, id) select store_id, id from keys", ["keys", "products"]],
  ["insert into products (store_id, id) values ($1, $2) returning (select count(*) from keys)", ["keys"]],
  ["update products set store_id = $1 where id = $2", ["products"]],
  ["delete from products where id in (select id from keys where store_id = $1)", ["products"]]
]

describe("Statements that name their store", () => {
  it.each(PINNED)("pinned: %s", (text) => {
    expect(unpinnedTables(text, tables)).toEqual([])
  })

  it.each(UNPINNED)("not pinned: %s", (text, expected) => {
    expect(unpinnedTables(text, tables)).toEqual(expected)
  })
})
