import { Result, Stream } from "effect"

/** A line of a file, without its line break, or the reason why it is not read. */
export interface Line {
  readonly number: number
  readonly bytes: Result.Result<Buffer, string>
}

const BREAK = 0x0a

/** Bytes up to it are spaces or control characters. */
const SPACE = 0x20

/** Collects the parts of a line. Parts of a line that is too long are dropped. */
const makeLineBuffer = (maxBytes: number) => {
  let number = 0
  let size = 0
  let parts: Array<Uint8Array> = []
  return {
    isEmpty: () => size === 0,
    skip: () => void (number += 1),
    add: (part: Uint8Array) => {
      size += part.length
      if (size <= maxBytes) parts.push(part)
      else parts = []
    },
    end: (): Line => {
      number += 1
      const bytes =
        size > maxBytes ? Result.fail(`is longer than ${maxBytes} bytes`) : Result.succeed(Buffer.concat(parts))
      size = 0
      parts = []
      return { number, bytes }
    }
  }
}

/**
 * Splits bytes into lines. Skips blank ones without work for each, because a small gzip has millions of them; one that is
 * in two chunks may remain. `Stream.splitLines` neither bounds a line nor keeps bytes that are not valid UTF-8.
 */
export const splitLines = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>, maxBytes: number): Stream.Stream<Line, E, R> =>
  Stream.mapAccum(
    bytes,
    () => makeLineBuffer(maxBytes),
    (line, chunk) => {
      const lines: Array<Line> = []
      let start = 0
      /** Moves the start behind blank lines. */
      const skipBlank = () => {
        for (let at = start; at < chunk.length; at++) {
          const byte = chunk[at] ?? 0
          if (byte > SPACE) return
          if (byte !== BREAK) continue
          line.skip()
          start = at + 1
        }
      }
      if (line.isEmpty()) skipBlank()
      for (let end = chunk.indexOf(BREAK, start); end !== -1; end = chunk.indexOf(BREAK, start)) {
        line.add(chunk.subarray(start, end))
        lines.push(line.end())
        start = end + 1
        skipBlank()
      }
      line.add(chunk.subarray(start))
      return [line, lines]
    },
    { onHalt: (line) => [line.end()] }
  )
