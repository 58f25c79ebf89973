import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import sharp, { type Sharp } from "sharp"
import { dataOf, freshClient } from "./Api.ts"
import { upload } from "./Files.ts"

/** `Accept` of a browser. */
export const BROWSER = "image/avif,image/webp,image/apng,image/*,*/*;q=0.8"

/** A picture that is red on the left and blue on the right. */
export const halves = (width = 800, height = 400) =>
  sharp({ create: { width, height, channels: 3, background: "#c81e28" } }).composite([
    { input: { create: { width: width / 4, height, channels: 3, background: "#1e28c8" } }, gravity: "east" }
  ])

export const toBuffer = (picture: Sharp) => Effect.promise(() => picture.toBuffer())

export const uploaded = Effect.fn(function* (picture: Uint8Array) {
  const { client, storeId } = yield* freshClient()
  const answer = yield* upload(client, picture, { query: "?name=desk" })
  assert.strictEqual(answer.status, 201, answer.text)
  return { client, storeId, file: dataOf(answer), url: String(dataOf(answer)["url"]) }
})

/** URL of a width: the width is the last segment but one. */
export const sized = (url: string, width: number | string) => url.replace(/\/([^/]+)$/, `/${width}/$1`)

export const metadataOf = (bytes: Buffer) => Effect.promise(() => sharp(bytes).metadata())

export const sizesOf = (storeId: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      select width, content_type as type, bytes from media_sizes where store_id = ${storeId} order by width, content_type
    `
  )
