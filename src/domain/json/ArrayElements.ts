import { Stream } from "effect"

/*
 * Cuts a JSON object that is read as a stream into the elements of its arrays and the rest, so that an object with a long
 * list is parsed element by element. Each part is then parsed by the parser of all JSON texts, which checks its syntax.
 */

/** Part of the text of an object: an element of one of its arrays, or the object with those arrays emptied. */
export type JsonPart = { readonly kind: "element" | "rest"; readonly bytes: Buffer }

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** State of the scan. An array of the object is at depth 2. */
const makeScanner = (maxBytes: number) => {
  const rest: Array<Buffer> = []
  let restSize = 0
  let element: Array<Buffer> = []
  let size = 0
  let depth = 0
  let isInString = false
  let isEscaped = false
  let isInArray = false
  let isBlank = true
  let isAfterComma = false

  /** Ends an element. A blank one is none if it is alone in its array; otherwise it is not valid JSON. */
  const endElement = (isFollowed: boolean): ReadonlyArray<JsonPart> => {
    const bytes = Buffer.concat(element)
    const isNone = isBlank && !isFollowed && !isAfterComma
    element = []
    size = 0
    isBlank = true
    isAfterComma = isFollowed
    return isNone ? [] : [{ kind: "element", bytes }]
  }

  // An element or a rest that is too long is cut, so that it is not valid JSON.
  const add = (part: Buffer) => {
    if (isInArray) {
      size += part.length
      if (size <= maxBytes) element.push(part)
    } else {
      restSize += part.length
      if (restSize <= maxBytes) rest.push(part)
    }
  }

  return {
    scan: (chunk: Uint8Array): ReadonlyArray<JsonPart> => {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
      const parts: Array<JsonPart> = []
      let start = 0
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at] ?? 0
        if (isInString) {
          if (isEscaped) isEscaped = false
          else if (byte === BACKSLASH) isEscaped = true
          else if (byte === QUOTE) isInString = false
          continue
        }
        if (isInArray && depth === 2 && (byte === COMMA || byte === CLOSE_LIST)) {
          add(bytes.subarray(start, at))
          parts.push(...endElement(byte === COMMA))
          start = byte === COMMA ? at + 1 : at
        }
        if (isInArray && !isSpace(byte) && byte !== COMMA) isBlank = false
        if (byte === QUOTE) isInString = true
        else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
          depth++
          if (depth === 2 && byte === OPEN_LIST) {
            add(bytes.subarray(start, at + 1))
            start = at + 1
            isInArray = true
            isBlank = true
            isAfterComma = false
          }
        } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
          depth--
          if (depth === 1) {
            isInArray = false
            isBlank = true
          }
        }
      }
      add(bytes.subarray(start))
      return parts
    },
    end: (): ReadonlyArray<JsonPart> => [...endElement(false), { kind: "rest", bytes: Buffer.concat(rest) }]
  }
}

/** Cuts the text of an object. The rest is the last part. A part of more than `maxBytes` is not valid JSON. */
export const splitArrays = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  maxBytes: number
): Stream.Stream<JsonPart, E, R> =>
  Stream.mapAccum(
    bytes,
    () => makeScanner(maxBytes),
    (scanner, chunk) => [scanner, scanner.scan(chunk)],
    { onHalt: (scanner) => scanner.end() }
  )
