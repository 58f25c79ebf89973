import type { Reply } from "./Call.ts"
import { codedTag, type Coding, codingOf, compress } from "./Coding.ts"
import type { Exchange } from "./Exchange.ts"

/** Bytes from which an answer is worth compressing. */
const MIN_COMPRESSED = 1024

/**
 * Bytes that may be under compression at once, a tenth of a second of work. Beyond, answers go out as they are, so that
 * nobody waits for the compression of another's lists.
 */
const MAX_COMPRESSING = 8 * 1024 * 1024

let compressing = 0

/** Head and body in one write. */
const write = (exchange: Exchange, { headers, status }: Reply, varies: boolean, body: Buffer, coding?: Coding) => {
  exchange.writeHead(status, {
    "content-type": "application/json",
    "content-length": body.length,
    // Who is not known is told how to become so (RFC 9110, section 11.6.1).
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
    ...(varies ? { vary: "accept-encoding" } : {}),
    ...(coding === undefined ? {} : { "content-encoding": coding }),
    ...headers,
    ...(coding === undefined || headers?.["etag"] === undefined ? {} : { etag: codedTag(headers["etag"], coding) })
  })
  exchange.end(body)
}

/**
 * Sends a reply, compressed for who asks. As bytes: given text, Node makes a copy of its own for the socket, which for a
 * page of a megabyte takes half a millisecond more. ASCII, which most pages are, needs no encoder.
 */
export const send = (exchange: Exchange, reply: Reply): void => {
  const length = Buffer.byteLength(reply.body)
  const body = Buffer.from(reply.body, length === reply.body.length ? "latin1" : "utf8")
  if (length < MIN_COMPRESSED) return write(exchange, reply, false, body)
  const coding = codingOf(exchange.req.headers["accept-encoding"]?.toString())
  if (coding === undefined || compressing + length > MAX_COMPRESSING) return write(exchange, reply, true, body)
  compressing += length
  return compress(coding, "least", body, (error, compressed) => {
    compressing -= length
    if (error === null) write(exchange, reply, true, compressed, coding)
    else write(exchange, reply, true, body)
  })
}
