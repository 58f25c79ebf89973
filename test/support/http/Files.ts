import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { crc32, deflateSync } from "node:zlib"
import sharp from "sharp"
import { type Answer, baseUrl, type Client } from "./Api.ts"

const PLAIN = { width: 8, height: 6, channels: 3, background: { r: 200, g: 30, b: 40 } } as const
/** A small picture of one color. */
export const picture = (format: "jpeg" | "png" | "webp" | "avif" | "gif", red = 200) =>
  Effect.promise(() =>
    sharp({ create: { ...PLAIN, background: { r: red, g: 30, b: 40 } } })
      .toFormat(format)
      .toBuffer()
  )

export const SVG = Buffer.from(
  '<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'
)

interface Upload {
  readonly key?: string
  readonly query?: string
  readonly type?: string
}

/** Sends bytes to the service at `base`, and decodes the JSON response. */
export const uploadTo = (
  base: string,
  token: string | undefined,
  body: Uint8Array | FormData,
  { key = randomUUID(), query = "", type = "image/png" }: Upload = {}
) =>
  Effect.promise(async (): Promise<Answer> => {
    const response = await fetch(`${base}/api/platform/v1/files${query}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "idempotency-key": key,
        ...(body instanceof FormData ? {} : { "content-type": type })
      },
      body: body instanceof FormData ? body : new Uint8Array(body)
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
  })

export const upload = (client: Client, body: Uint8Array | FormData, sent?: Upload) =>
  Effect.flatMap(baseUrl, (base) => uploadTo(base, client.token, body, sent))

export const fetchBytes = (url: unknown, headers: Record<string, string> = {}) =>
  Effect.promise(async () => {
    const response = await fetch(String(url), { headers })
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
  })

const Page = Schema.Struct({
  files: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
  nextCursor: Schema.NullOr(Schema.String)
})
export const filesOf = ({ json }: Answer) => Schema.decodeUnknownSync(Page)(json)

/** Numbers of files and objects of a store, and the bytes that count for its plan. */
export const countFiles = (storeId: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql`select
        (select count(*)::integer from files where store_id = ${storeId}) as files,
        (select count(*)::integer from media_objects where store_id = ${storeId}) as objects,
        (select used::integer from media_usage where store_id = ${storeId}) as used`,
      ([row]) => row
    )
  )

const chunk = (type: string, data: Uint8Array) => {
  const content = Buffer.concat([Buffer.from(type), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, checksum])
}

/** A valid black PNG of one bit a pixel. */
export const makePng = (width: number, height: number) => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header[8] = 1
  const rows = deflateSync(Buffer.alloc(height * (1 + Math.ceil(width / 8))))
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1")
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))])
}
