import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { MediaFile } from "../../../src/domain/media/File.ts"
import { baseUrl } from "../http/Api.ts"

const decodeFile = Schema.decodeUnknownSync(Schema.Struct({ data: MediaFile }))

/** Uploads a file as the dashboard does. */
export const sendFile = Effect.fn(function* (
  { cookie, storeId }: { readonly cookie: string; readonly storeId: string },
  details: { readonly name: string; readonly alt: string },
  body: Uint8Array
) {
  const base = yield* baseUrl
  return yield* Effect.promise(async () => {
    const response = await fetch(`${base}/rpc/files?${new URLSearchParams({ storeId, ...details }).toString()}`, {
      method: "POST",
      headers: { "content-type": "application/octet-stream", "idempotency-key": randomUUID(), cookie },
      body: new Uint8Array(body)
    })
    const text = await response.text()
    assert.strictEqual(response.status, 201, text)
    return decodeFile(JSON.parse(text)).data
  })
})
