import { randomUUID } from "node:crypto"
import type Pg from "pg"
import type { Installation } from "./admission.ts"

const INSERT = {
  name: "insert-event",
  text: `
    insert into events (id, store_id, kind, occurred_at, origin_installation_id, payload)
    values ($1, $2, $3, $4, $5, $6)
  `
}

/** Inserts the event of a written product, with the body for subscribers. `json` is the product. */
export const recordEvent = async (
  client: Pg.PoolClient,
  installation: Installation,
  occurredAt: Date,
  json: string
): Promise<void> => {
  const id = randomUUID()
  const kind = "catalog.product.updated.v1"
  const envelope = JSON.stringify({
    id,
    kind,
    occurredAt: occurredAt.toISOString(),
    storeId: installation.storeId,
    actor: { type: "app" },
    originInstallationId: installation.id
  })
  const payload = `${envelope.slice(0, -1)},"data":{"product":${json}}}`
  await client.query({
    ...INSERT,
    values: [id, installation.storeId, kind, occurredAt, installation.id, payload]
  })
}
