import { Stream } from "effect"

/*
 * Cuts a JSON object that is read as a stream into the elements of one of its arrays and the rest, so that an object with a
 * long list is parsed element by element. Each part is then parsed by the parser of all JSON texts, which checks its syntax.
 */

/** Part of the text of an object: an element of the array, or the object with that array emptied. */
export type JsonPart =
  | { readonly kind: "element"; readonly bytes: Buffer }
  | { readonly kind: "rest"; readonly bytes: Buffer; /** Key that the object has twice. */ readonly repeated?: string }

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Returns a key, which can be written with escapes. A key that is not valid JSON is found by the parser of the rest. */
const keyOf = (text: string): string => {
  try {
    return String(JSON.parse(text))
  } catch {
    return text
  }
}

/** State of the scan. The array `member` of the object is at depth 2. */
const makeScanner = (member: string, maxBytes: number) => {
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
  /** Last string of the object, which is a key if a colon follows. */
  let name: Array<Buffer> = []
  let key: string | undefined
  let repeated: string | undefined
  const keys = new Set<string>()

  const endKey = () => {
    if (restSize > maxBytes) return
    key = keyOf(Buffer.concat(name).toString("utf8"))
    if (keys.has(key)) repeated ??= key
    keys.add(key)
  }

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
      let nameStart = 0
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at] ?? 0
        if (isInString) {
          if (isEscaped) isEscaped = false
          else if (byte === BACKSLASH) isEscaped = true
          else if (byte === QUOTE) {
            isInString = false
            if (depth === 1) name.push(bytes.subarray(nameStart, at + 1))
          }
          continue
        }
        if (isInArray && depth === 2 && (byte === COMMA || byte === CLOSE_LIST)) {
          add(bytes.subarray(start, at))
          parts.push(...endElement(byte === COMMA))
          start = byte === COMMA ? at + 1 : at
        }
        if (isInArray && !isSpace(byte) && byte !== COMMA) isBlank = false
        if (byte === QUOTE) {
          isInString = true
          nameStart = at
          if (depth === 1) name = []
        } else if (byte === COLON && depth === 1) endKey()
        else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
          depth++
          // The elements of a second array of the name stay in the rest, which is refused.
          if (depth === 2 && byte === OPEN_LIST && key === member && repeated === undefined) {
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
      // A key that continues in the next chunk, up to the size of the rest.
      if (isInString && depth === 1 && restSize <= maxBytes) name.push(bytes.subarray(nameStart))
      add(bytes.subarray(start))
      return parts
    },
    end: (): ReadonlyArray<JsonPart> => [
      ...endElement(false),
      { kind: "rest", bytes: Buffer.concat(rest), ...(repeated === undefined ? {} : { repeated }) }
    ]
  }
}

/**
 * Cuts the text of an object into the elements of its array `member` and the rest, which is the last part. A part of more than
 * `maxBytes` is not valid JSON.
 */
export const splitArray = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  member: string,
  maxBytes: number
): Stream.Stream<JsonPart, E, R> =>
  Stream.mapAccum(
    bytes,
    () => makeScanner(member, maxBytes),
    (scanner, chunk) => [scanner, scanner.scan(chunk)],
    { onHalt: (scanner) => scanner.end() }
  )

/** Finds a key that an object has twice, of which a parser would return only the last value. */
export const findRepeatedKey = (bytes: Uint8Array): string | undefined => {
  const scanner = makeScanner("", bytes.length)
  scanner.scan(bytes)
  return scanner.end().find((part) => part.kind === "rest")?.repeated
}
