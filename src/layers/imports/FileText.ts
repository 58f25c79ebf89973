import { type Options, parse } from "csv-parse/sync"
import { Effect, Option, Sink, Stream } from "effect"
import { ReadFailed, type FileReading, UTF_8 } from "../../domain/imports/ImportFiles.ts"
import { Delimiter, DELIMITERS, findDecimalOf, findDelimiter, type Layout } from "../../domain/imports/Layout.ts"

/* Text of a file: its encoding by a byte order mark, and the layout of a CSV by its first records. */

/** Bytes from which the encoding and the layout are found. */
const BEGINNING = 64 * 1024

interface Beginning {
  readonly parts: ReadonlyArray<Uint8Array>
  readonly size: number
}

const beginningSink = <E>() =>
  Sink.fold<Beginning, Uint8Array, E>(
    () => ({ parts: [], size: 0 }),
    ({ size }) => size < BEGINNING,
    ({ parts, size }, chunk) => Effect.succeed({ parts: [...parts, chunk], size: size + chunk.length })
  )

/** A byte order mark of UTF-16 is no valid UTF-8, and tells the order of bytes. */
const encodingOf = ([first, second]: Uint8Array, encoding: string): string => {
  if (!encoding.startsWith("utf-")) return encoding
  if (first === 0xff && second === 0xfe) return "utf-16le"
  return first === 0xfe && second === 0xff ? "utf-16be" : encoding
}

/** Converts bytes of another encoding to UTF-8. Fails instead of replacing invalid bytes, as `Stream.decodeText` does. */
const toUtf8 = <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  encoding: string
): Stream.Stream<Uint8Array, E | ReadFailed> => {
  if (encoding === UTF_8) return bytes
  return Stream.suspend(() => {
    const decoder = new TextDecoder(encoding, { fatal: true })
    const decode = (chunk?: Uint8Array) =>
      Effect.try({
        try: () => decoder.decode(chunk, { stream: chunk !== undefined }),
        catch: () => new ReadFailed({ reason: `it is not valid ${encoding}; give the encoding in which it was saved` })
      })
    const texts = Stream.mapEffect(bytes, (chunk) => decode(chunk))
    return Stream.encodeText(Stream.concat(texts, Stream.fromEffect(Effect.suspend(decode))))
  })
}

/** Opens a file as UTF-8, with the text of its first complete lines. */
export const openText = Effect.fnUntraced(function* <E>(bytes: Stream.Stream<Uint8Array, E>, encoding = UTF_8) {
  const [{ parts, size }, rest] = yield* Stream.peel(bytes, beginningSink<E>())
  const first = Buffer.concat(parts)
  const actual = encodingOf(first, encoding)
  const text = new TextDecoder(actual).decode(first, { stream: true })
  return {
    bytes: toUtf8(Stream.concat(Stream.succeed(first), rest), actual),
    beginning: size < BEGINNING ? text : text.slice(0, Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1)
  }
})

/** First line of some spreadsheets, an instruction to read the file with a delimiter. */
const SEPARATOR = /^sep=([,;\t])(?=[\r\n])/i

/** Settings of the parser that depend on the file. */
export type FileOptions = Required<Pick<Options, "delimiter" | "from_line" | "record_delimiter">>

/** Maximum records from which the decimal sign is found. */
const MAX_RECORDS = 1000

/** Parses the first records. An error after some of them is left to the reading of the whole file. */
const parseBeginning = (text: string, options: Options): ReadonlyArray<ReadonlyArray<string>> => {
  const records: Array<ReadonlyArray<string>> = []
  const add = (record: ReadonlyArray<string>) => {
    records.push(record)
    return null
  }
  Option.liftThrowable(() =>
    parse(text, { ...options, bom: true, relax_column_count: true, skip_empty_lines: true, on_record: add })
  )()
  return records
}

/** Opens a CSV file with the layout that it has, or that is set. */
export const openCsv = Effect.fnUntraced(function* <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  { decimal, delimiter, encoding, mapping = {} }: FileReading
) {
  const text = yield* openText(bytes, encoding)
  const { beginning } = text
  const [separatorLine, separator] = SEPARATOR.exec(beginning) ?? []
  const [lineEnd] = /\r\n|\r|\n/.exec(beginning) ?? []
  const optionsOf = (delimiter: Delimiter): FileOptions => ({
    delimiter: DELIMITERS[delimiter],
    // A file that was put together can have both.
    record_delimiter: lineEnd === "\r" ? ["\r"] : ["\r\n", "\n"],
    from_line: separatorLine === undefined ? 1 : 2
  })
  const named = Delimiter.literals.find((one) => DELIMITERS[one] === separator)
  const found =
    delimiter ??
    named ??
    findDelimiter((one) => parseBeginning(beginning, { ...optionsOf(one), to: 1 })[0] ?? [], mapping)
  const options = optionsOf(found)
  const [header = [], ...records] = parseBeginning(beginning, { ...options, to: MAX_RECORDS })
  const layout: Layout = { delimiter: found, decimal: decimal ?? findDecimalOf(found, header, records, mapping) }
  return { bytes: text.bytes, options, layout }
})
