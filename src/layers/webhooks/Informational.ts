import type { Socket } from "node:net"
import { errors } from "undici"

const START = "HTTP/1.1 1"
const END = "\r\n\r\n"
const NOTHING = Buffer.alloc(0)

/** Bytes of the names and values of an answer's headers; and of all informational answers before it. */
export const MAX_HEADER_BYTES = 16_384

/** Whether an answer 1xx begins so, or may. 101 is none: what follows on it is not HTTP. */
const isInformational = (bytes: Buffer) => {
  const start = bytes.toString("latin1", 0, START.length + 2)
  return START.startsWith(start.slice(0, START.length)) && start !== `${START}01`
}

const endOf = (bytes: Buffer) => (isInformational(bytes) ? bytes.indexOf(END) : -1)

/** What follows on the informational answers that are complete. */
const afterInformational = (bytes: Buffer): Buffer => {
  let rest = bytes
  for (let end = endOf(rest); end !== -1; end = endOf(rest)) rest = rest.subarray(end + END.length)
  return rest
}

/**
 * Leaves out informational answers before the real one: 100 (Continue), 103 (Early Hints) and the like. A client must
 * read on after any of them (RFC 9110, section 15.2), but undici takes a 100 that was not asked for as broken and closes
 * the connection, and some receivers do send it unasked (IIS). undici reads a socket by `read()` without a size, so
 * that is where they go. What this gives is to be called whenever a request is sent.
 *
 * More than {@link MAX_HEADER_BYTES} of them end the connection. At a few bytes each, one receiver that sends them
 * without end would take the whole process: every other delivery waited for up to 4 s.
 */
export const skipInformational = (socket: Socket): (() => void) => {
  const read = socket.read.bind(socket)
  let isBeginning = true
  let held: Buffer = NOTHING
  let left = MAX_HEADER_BYTES

  const readBeginning = (): Buffer | null => {
    for (let chunk: unknown = read(); Buffer.isBuffer(chunk); chunk = read()) {
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      held = afterInformational(bytes)
      left -= bytes.length - held.length
      if (left < 0) {
        socket.destroy(new errors.HeadersOverflowError())
        return null
      }
      if (isInformational(held) && held.length < MAX_HEADER_BYTES) continue
      const beginning = held
      held = NOTHING
      isBeginning = false
      return beginning
    }
    return null
  }
  const value = (size?: number): unknown => (isBeginning && size === undefined ? readBeginning() : read(size))
  Object.defineProperty(socket, "read", { value })
  return () => {
    isBeginning = true
    left = MAX_HEADER_BYTES
  }
}
