import { DatabaseSync } from "node:sqlite"
import { createClient } from "partner-api/client"

/* Keeps a copy of a catalog in SQLite, and proves that it is complete. ONCE=true stops after the first proof. */

const { ACCESS_TOKEN, DATABASE = "mirror.db", ONCE, PLATFORM_URL = "http://127.0.0.1:3000" } = process.env
if (ACCESS_TOKEN === undefined) throw new Error("ACCESS_TOKEN must be the access token of an installation")

const db = new DatabaseSync(DATABASE)
db.exec(`
  create table if not exists rows (resource text, id text, version integer, document text, primary key (resource, id));
  create table if not exists position (only integer primary key check (only = 1), position text);
`)
const put = db.prepare("insert or replace into rows values (?, ?, ?, ?)")
const remove = db.prepare("delete from rows where resource = ? and id = ?")
const setPosition = db.prepare("insert or replace into position values (1, ?)")
const getPosition = db.prepare("select position from position")
const listVersions = db.prepare("select id, version from rows where resource = ?")

const copy = {
  load: async () => getPosition.get()?.position,
  versions: async (resource) => listVersions.all(resource),
  save: async ({ deletions, position, upserts }) => {
    db.exec("begin")
    try {
      for (const { document, id, resource, version } of upserts)
        put.run(resource, id, version, JSON.stringify(document))
      for (const { id, resource } of deletions) remove.run(resource, id)
      setPosition.run(position)
      db.exec("commit")
    } catch (error) {
      db.exec("rollback")
      throw error
    }
  }
}

const client = createClient({ url: PLATFORM_URL, tokens: ACCESS_TOKEN })
for (let wait = 0; ; wait = 25) {
  const { digests } = await client.sync(copy, { wait })
  for (const { count, digest, resource } of digests)
    process.stdout.write(`${resource}: ${count} rows, digest ${digest}\n`)
  if (ONCE === "true") break
}
