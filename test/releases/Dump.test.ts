import { assert, it } from "@effect/vitest"
import { millisOf, uuidV7 } from "../../src/domain/Uuid.ts"
import { pack, unpack } from "../support/releases/Dump.ts"

it("a dump of long ago is read as if it were made now: entries and times move, ids of stores stay", () => {
  const made = Date.now() - 800 * 24 * 3_600_000
  const [entry, store] = [uuidV7(made), uuidV7(made)]
  const at = `${new Date(made).toISOString().slice(0, -1)}456+00:00`
  const row = { id: entry, store_id: store, at, after: JSON.stringify({ id: entry, at: new Date(made).toISOString() }) }
  const text = JSON.stringify({ entry, store })
  const { lines, text: moved } = unpack(pack(JSON.stringify({ table: "journal", rows: [row] })), text, made)
  const facts: unknown = JSON.parse(moved)
  const [line] = lines
  const [read = assert.fail("no row")] = line !== undefined && "rows" in line ? line.rows : []
  assert.deepStrictEqual(facts, { entry: read["id"], store })
  const millis = millisOf(String(read["id"]))
  assert.isAtMost(Math.abs(millis - Date.now()), 10_000)
  const time = new Date(millis).toISOString()
  assert.deepStrictEqual(read, {
    id: read["id"],
    store_id: store,
    at: `${time.slice(0, -1)}456+00:00`,
    after: JSON.stringify({ id: read["id"], at: time })
  })
})
