// Smoke test of a running server: `node scripts/ask.mjs <demo.json>`. Reads, writes, retries, and checks refusals.
import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"

const { accessToken, baseUrl } = JSON.parse(readFileSync(process.argv[2], "utf8"))
const api = `${baseUrl}/api/platform/v1`
const headers = { authorization: `Bearer ${accessToken}` }

const first = await fetch(`${api}/products?limit=2`, { headers })
assert.equal(first.status, 200)
assert.equal((await first.json()).products.length, 2)

const write = {
  method: "POST",
  headers: { ...headers, "content-type": "application/json", "idempotency-key": randomUUID() },
  body: JSON.stringify({ name: "Lantern", price: 24.5 })
}
const created = await fetch(`${api}/products`, write)
const replayed = await fetch(`${api}/products`, write)
assert.equal(created.status, 201)
assert.equal(replayed.headers.get("idempotent-replayed"), "true")
assert.equal(await created.text(), await replayed.text())

assert.equal((await fetch(`${api}/products`)).status, 401)
assert.equal((await fetch(`${api}/nothing`)).status, 404)
for (const path of ["/healthz", "/readyz", "/docs", "/openapi.json", "/dashboard", "/developers"]) {
  assert.equal((await fetch(`${baseUrl}${path}`)).status, 200, path)
}
process.stdout.write("All requests have the expected responses\n")
