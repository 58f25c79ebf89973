import { Effect } from "effect"
import { brotliCompress, constants, gzip } from "node:zlib"

/** A content coding (RFC 9110, section 8.4.1). Brotli is preferred, because it costs less at these levels. */
export type ContentCoding = "br" | "gzip"

const ELEMENT = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/i

/** Chooses the coding that `Accept-Encoding` prefers (RFC 9110, section 12.5.3). Undefined without the header. */
export const negotiateCoding = (accepted: string | undefined): ContentCoding | undefined => {
  if (accepted === undefined) return undefined
  const weights = new Map<string, number>()
  for (const element of accepted.split(",")) {
    const [, name, weight = "1"] = ELEMENT.exec(element) ?? []
    if (name !== undefined) weights.set(name.toLowerCase(), Number(weight))
  }
  const others = weights.get("*") ?? 0
  const [br, gzip] = [weights.get("br") ?? others, weights.get("gzip") ?? others]
  const best = Math.max(br, gzip)
  if (best === 0 || best < (weights.get("identity") ?? 0)) return undefined
  return br === best ? "br" : "gzip"
}

/** Adds the coding to an entity tag. Different bytes need different strong tags (RFC 9110, section 8.8.3.3). */
export const etagForCoding = (etag: string, coding: ContentCoding | undefined): string =>
  coding === undefined ? etag : `${etag.slice(0, -1)}-${coding}"`

/** Removes the coding from an entity tag. */
export const etagWithoutCoding = (etag: string): string => etag.replace(/-(?:br|gzip)"$/, '"')

/** Compression levels: `least` for a response that is sent once, `most` for a static file. */
const LEVELS = { least: { br: 1, gzip: 1 }, most: { br: 6, gzip: 6 } }

/** Compresses in the thread pool of libuv. */
export const compress = (coding: ContentCoding, effort: keyof typeof LEVELS, bytes: Uint8Array) =>
  Effect.callback<Buffer, Error>((resume) => {
    const level = LEVELS[effort][coding]
    const done = (error: Error | null, compressed: Buffer) =>
      resume(error === null ? Effect.succeed(compressed) : Effect.fail(error))
    if (coding === "gzip") return gzip(bytes, { level }, done)
    const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants
    const params = { [BROTLI_PARAM_QUALITY]: level, [BROTLI_PARAM_SIZE_HINT]: bytes.length }
    return brotliCompress(bytes, { params }, done)
  })
