import { Result } from "effect"

/** Maximum bytes of a line, equal to the limit of a request body. */
const MAX_LINE = 1024 * 1024

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** One resource of a file: the number of its first line, and its JSON or the reason why it has none. */
export interface Line {
  readonly number: number
  readonly json: Result.Result<string, string>
}

const BREAK = 0x0a

const jsonOf = (parts: ReadonlyArray<Buffer>): Line["json"] => {
  try {
    return Result.succeed(utf8.decode(Buffer.concat(parts)))
  } catch {
    return Result.fail("is not valid UTF-8")
  }
}

/** Collects the parts of a line. Parts of a line that is too long are dropped. */
const makeLineBuffer = () => {
  let number = 0
  let size = 0
  let parts: Array<Buffer> = []
  return {
    add: (part: Buffer) => {
      size += part.length
      if (size <= MAX_LINE) parts.push(part)
      else parts = []
    },
    /** Ends the line and returns it unless it is empty. */
    end: (): ReadonlyArray<Line> => {
      number += 1
      const json = size > MAX_LINE ? Result.fail(`is longer than ${MAX_LINE} bytes`) : jsonOf(parts)
      size = 0
      parts = []
      return Result.isSuccess(json) && json.success.trim() === "" ? [] : [{ number, json }]
    }
  }
}

/** Reads JSON Lines. Yields the lines of each chunk together. */
export async function* readJsonLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<ReadonlyArray<Line>> {
  const line = makeLineBuffer()
  for await (const chunk of bytes) {
    const lines: Array<Line> = []
    let start = 0
    for (let end = chunk.indexOf(BREAK); end !== -1; end = chunk.indexOf(BREAK, start)) {
      line.add(chunk.subarray(start, end))
      lines.push(...line.end())
      start = end + 1
    }
    line.add(chunk.subarray(start))
    yield lines
  }
  yield line.end()
}
